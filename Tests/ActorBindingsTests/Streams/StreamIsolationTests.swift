import ActorBindings
import Testing

/// Loops stay on their isolation.
@Suite
struct StreamIsolationTests {
  // A class that is not Sendable, so a loop that left its isolation could not use its instances.
  private final class Notebook {
    var values: [Int] = []
  }

  private actor Reader {
    private let notebook = Notebook()

    func follow(_ cell: BindableActor<Int>) async -> [Int] {
      for await value in cell.values(backlog: .unbounded) {
        assertIsolated()
        notebook.values.append(value)
      }
      return notebook.values
    }
  }

  @Test
  func `a loop in an actor`() async {
    let cell = BindableActor(0)
    let reader = Reader()
    async let values = reader.follow(cell)
    await cell.parked(1)
    for value in 1...50 {
      cell.send(value)
      await Task.yield()
    }
    cell.finish()
    #expect(await values == Array(0...50))
  }

  @Test @MainActor
  func `a loop on the main actor`() async {
    let cell = BindableActor(0)
    let notebook = Notebook()
    let loop = Task {
      for await value in cell.map({ $0 * 2 }).values {
        MainActor.assertIsolated()
        notebook.values.append(value)
      }
    }
    await cell.parked(1)
    #expect(notebook.values == [0])
    cell.send(1)
    await cell.parked(1)
    cell.finish()
    await loop.value
    #expect(notebook.values == [0, 2])
  }

  @Test
  func `next never hops to another executor, whether it waits or not`() async {
    let cell = BindableActor(0)
    let station = Station()
    let worker = Worker(at: station)
    let loop = Task {
      await Self.follow(cell, on: worker)
    }
    await cell.parked(1)
    for value in 1...20 {
      cell.send(value)
      await cell.parked(1)
    }
    cell.finish()
    #expect(await loop.value == Array(0...20))
  }

  private static func follow(_ cell: BindableActor<Int>, on worker: isolated Worker) async -> [Int] {
    var values: [Int] = []
    // `map` runs where the loop runs.
    let source = cell.map { value in
      #expect(worker.station.isHere)
      return value
    }
    for await value in source.values {
      #expect(worker.station.isHere)
      values.append(value)
    }
    #expect(worker.station.isHere)
    return values
  }

  @Test
  func `a loop that always has a next value lets other tasks run`() async {
    let cell = BindableActor(0)
    let station = Station()
    let isOver = Flag()
    // The loop and the other task share one thread: the loop ends when the other task has run.
    let loop = Task(executorPreference: station) {
      for await value in cell.values {
        if isOver.isSet { return true }
        cell.send(value + 1)
        if value > 10_000_000 { return false }
      }
      return false
    }
    Task(executorPreference: station) { isOver.set() }
    #expect(await loop.value)
  }

  @Test
  func `a loop whose operator rejects everything lets other tasks run`() async {
    let cell = BindableActor(0)
    let station = Station()
    let isOver = Flag()
    let source = cell.filter { value in
      if isOver.isSet { cell.finish() } else { cell.send(value + 1) }
      return false
    }
    let loop = Task(executorPreference: station) {
      for await _ in source.values {}
    }
    Task(executorPreference: station) { isOver.set() }
    await loop.value
    #expect(cell.isFinished)
  }
}
