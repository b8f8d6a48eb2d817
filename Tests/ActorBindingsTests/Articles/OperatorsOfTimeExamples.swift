import ActorBindings
import Testing

// The code between the markers is shown in the article `OperatorsOfTime`; the suite `ArticleTests` compares the two.

@Suite
struct OperatorsOfTimeExamples {
  @Test
  func `less often`() async {
    let (search, progress) = (BindableActor(""), BindableActor(0.0))
    // article
    let query = search.debounce(for: .milliseconds(300))
    let display = progress.throttle(for: .seconds(1))
    // end
    async let queries = query.values.elements()
    var displayed = display.values(backlog: .unbounded).makeAsyncIterator()
    // The writes below come after the first value: otherwise a later value would be shown first.
    #expect(await displayed.next() == 0)
    await eventually { search.observerCount == 1 }
    for text in ["s", "sw", "swift"] { search.send(text) }
    for part in 1...4 { progress.send(Double(part) / 4) }
    search.finish()
    progress.finish()
    #expect(await queries.last == "swift")
    var last: Double?
    while let part = await displayed.next() { last = part }
    #expect(last == 1)
  }

  @Test
  func `by time`() async {
    let progress = BindableActor(0.0)
    let (form, taps) = (BindableActor(""), EventSource<Void>())
    // article
    // Each hour, if there is a new value:
    let hourly = progress.sample(every: .seconds(3600))
    // The newest form, at each tap:
    let submitted = form.sample(on: taps)
    // Each value, 5 seconds later:
    let late = progress.delay(for: .seconds(5))
    // Arrays, when they are full or after a second:
    let batches = progress.chunks(ofCount: 100, orAfter: .seconds(1))
    // True when no value has come for 30 seconds:
    let isStuck = progress.isSilent(for: .seconds(30))
    // 1, 2, 3 … every 10 seconds:
    let ticks = interval(.seconds(10))
    // end
    #expect(await isStuck.first { _ in true } == false)
    async let last = hourly.first { _ in true }
    async let batch = batches.first { _ in true }
    await eventually { progress.observerCount == 2 }
    progress.finish()
    #expect(await last == 0)
    #expect(await batch == [0])
    let forms = submitted.values(backlog: .unbounded)
    form.send("name")
    taps.send()
    taps.finish()
    #expect(await forms.elements() == ["name"])
    withExtendedLifetime((late, ticks)) {}
  }

  @Test
  func `a state that shows a silence`() {
    let progress = BindableActor(0.0)
    // article
    let isQuiet = BindableActor(
      initially: false,
      of: progress.isSilent(for: .seconds(30))
    )
    // end
    #expect(!isQuiet.value)
    #expect(progress.observerCount == 1)
  }
}
