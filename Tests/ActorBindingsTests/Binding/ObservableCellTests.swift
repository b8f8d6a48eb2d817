import ActorBindings
import Observation
import Testing

@MainActor
private final class Model {
  let name: ObservableCell<String>

  init(_ name: BindableActor<String>) {
    self.name = ObservableCell(name)
  }

  var title: String { "<\(name.value)>" }
}

@MainActor @Suite struct ObservableCellTests {
  @Test func `a change of the cell changes the observable property`() async {
    let cell = BindableActor("ann")
    let model = Model(cell)
    let changed = Flag()
    let title = withObservationTracking {
      model.title
    } onChange: {
      changed.set()
    }
    #expect(title == "<ann>")
    cell.send("bob")
    await eventually { changed.isSet }
    await eventually { model.title == "<bob>" }
  }

  @Test func `setting the property sends to the cell, and is visible at once`() {
    let cell = BindableActor("ann")
    let model = Model(cell)
    let changed = Flag()
    withObservationTracking {
      _ = model.title
    } onChange: {
      changed.set()
    }
    model.name.value = "bob"
    #expect(changed.isSet)
    #expect(model.title == "<bob>")
    #expect(cell.value == "bob")
  }

  @Test func `a change by modify is visible in the property at once`() async {
    let cell = BindableActor("ann")
    let model = Model(cell)
    let changed = Flag()
    cell.send("bob")  // the model may not show this yet
    withObservationTracking {
      _ = model.title
    } onChange: {
      changed.set()
    }
    let length = model.name.modify { name in
      name += "by"
      return name.count
    }
    #expect(length == 5)
    #expect(changed.isSet)
    #expect(model.title == "<bobby>")
    #expect(cell.value == "bobby")
    await cell.settled()
    #expect(model.title == "<bobby>")
  }

  @Test func `a body of modify that throws changes nothing`() {
    let model = Model(BindableActor("ann"))
    #expect(throws: CancellationError.self) {
      try model.name.modify { name throws(CancellationError) in
        name = "bob"
        throw CancellationError()
      }
    }
    #expect(model.title == "<ann>")
  }

  @Test func `setting the property is one change`() async {
    let cell = BindableActor("ann")
    let model = Model(cell)
    let changes = Counter()
    func track() {
      withObservationTracking {
        _ = model.title
      } onChange: {
        changes.add()
      }
    }
    track()
    model.name.value = "bob"
    track()
    await cell.settled()
    #expect(changes.value == 1)
  }

  @Test func `the property shows the cell's value, also after the cell has finished`() {
    let cell = BindableActor("ann")
    let model = Model(cell)
    cell.finish()
    model.name.value = "bob"
    #expect(model.title == "<ann>")
  }

  @Test func `an observable cell ends when it is released`() async {
    let cell = BindableActor("ann")
    do { _ = ObservableCell(cell) }
    cell.send("bob")
    await eventually { cell.observerCount == 0 }
  }

  @Test func `Observations of the property receive the last value`() async {
    guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else { return }
    let cell = BindableActor("ann")
    let model = Model(cell)
    let titles = Recorder<String>()
    let loop = Task { @MainActor in
      for await title in Observations({ model.title }) {
        titles.record(title)
        if title == "<dan>" { break }
      }
    }
    await titles.reached(1)
    for name in ["bob", "cat", "dan"] { cell.send(name) }
    await loop.value
    #expect(titles.last == "<dan>")
  }

  @Test func `a cell can follow a model`() async {
    guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else { return }
    let cell = BindableActor("")
    let draft = Draft()
    let token = cell.follow(Observations { draft.text })
    _ = await cell.first { $0 == "draft" }
    draft.text = "better"
    _ = await cell.first { $0 == "better" }
    token.cancel()
  }
}
