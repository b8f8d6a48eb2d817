import ActorBindings
import Testing

// The code between the markers is shown in the article `Gotchas`; the suite `ArticleTests` compares the two.

@Suite
struct GotchasExamples {
  @MainActor
  final class Page {
    private(set) var token: BindingToken?
    private(set) var values: [Int] = []
    private let life: Mortal

    init(_ life: Mortal) {
      self.life = life
    }

    func follow(_ cell: BindableActor<Int>) {
      // article
      // self → token → handler → self:
      token = cell.observe { value in self.show(value) }
      // The cell holds self weakly:
      cell.observe(self) { me, value in me.show(value) }
      // end
    }

    func show(_ value: Int) { values.append(value) }
  }

  @Test @MainActor
  func `a handler keeps what it captures`() async {
    let (cell, gone) = (BindableActor(1), Recorder<Bool>())
    weak var weakly: Page?
    do {
      let page = Page(Mortal { gone.record(true) })
      weakly = page
      page.follow(cell)
      #expect(page.values == [1, 1])
    }
    #expect(gone.count == 0)
    weakly?.token?.cancel()
    await gone.reached(1)
  }

  @Test
  func `writes that feed each other`() async {
    func feed(_ a: BindableActor<Int>, _ b: BindableActor<Int>) {
      // article
      a.map { $0 + 1 } ->> b
      b.map { $0 + 1 } ->> a
      // end
    }
    weak var weakly: BindableActor<Int>?
    do {
      let (a, b) = (BindableActor(0), BindableActor(0))
      weakly = a
      feed(a, b)
      #expect(await b.first { $0 > 100 } != nil)
    }
    // The two bindings write in a circle until their cells are deallocated. A cell that is being written stays alive
    // until the write is done.
    while weakly != nil { await Task.yield() }
  }

  @Test
  func `what cannot be compared`() async throws {
    let profile = LoadingCell { "Ann" }
    // article
    let content = profile.map(\.content).removeDuplicates()
    let phases = profile.removeDuplicates {
      $0.isLoading == $1.isLoading && $0.content == $1.content
    }
    // end
    let (contents, shown) = (content.values(backlog: .unbounded), phases.values(backlog: .unbounded))
    try await profile.load()
    try await profile.reload()
    profile.finish()
    #expect(await contents.elements() == [nil, "Ann"])
    #expect(await shown.elements().map(\.isLoading) == [false, true, false, true, false])
  }

  @Test @MainActor
  func `the first value that matches`() async {
    let cell = BindableActor(11)
    // article
    let large = await cell.first { $0 > 10 }
    let newest = await cell.values.first { @Sendable in $0 > 10 }
    for await value in cell.values where value > 10 { break }
    // end
    #expect(large == 11)
    #expect(newest == 11)
  }

  // article
  func doubled(_ numbers: AsyncStream<Int>) -> some StateSource<Int> {
    let newest = BindableActor(0, following: numbers)
    return newest.map { 2 * $0 }.keeping(newest)
  }
  // end

  @Test
  func `a source that keeps its cell`() async {
    let (numbers, input) = AsyncStream.makeStream(of: Int.self)
    let source = doubled(numbers)
    input.yield(2)
    #expect(await source.first { $0 == 4 } == 4)
    #expect(source.value == 4)
  }
}
