import ActorBindings
import Foundation
import Heap
import Testing

private let seconds = ProcessInfo.processInfo.environment["ACTORBINDINGS_SOAK"].flatMap { Int($0) }

/// Runs everything at once, for a long time: with `ACTORBINDINGS_SOAK=3600` for an hour. For a long run, run only this
/// suite, because it measures the memory of the process. `GLIBC_TUNABLES=glibc.malloc.tcache_count=0` makes the
/// measurement exact: otherwise freed memory in the caches of threads counts as in use.
@Suite
struct SoakTests {
  @Test(.enabled(if: seconds == nil))
  func `readers that come and go leave nothing behind, in a few rounds`() async {
    // Runs in a separate process, so that the memory of other tests is not measured.
    await #expect(processExitsWith: .success) {
      await soak(isWarm: { round, _ in round > 10 }, goesOn: { round, _ in round < 20 })
    }
  }

  @Test(.enabled(if: seconds != nil))
  func `readers that come and go leave nothing behind, for a long time`() async {
    #if canImport(Glibc)
      #expect(heap_bytes_in_use() > 0)
    #endif
    let whole = Duration.seconds(seconds ?? 0)
    await soak(isWarm: { $1 > min(whole / 6, .seconds(60)) }, goesOn: { $1 < whole })
  }
}

/// Does rounds of work while `goesOn` returns true. Fails if a promise is broken, if an object is left at the end of a
/// round, or if the process uses a MiB more than after the first rounds.
private func soak(
  isWarm: (_ round: Int, _ elapsed: Duration) -> Bool,
  goesOn: (_ round: Int, _ elapsed: Duration) -> Bool
) async {
  let town = Town()
  let clock = ContinuousClock()
  let begin = clock.now
  var shown = begin
  var atFirst = 0
  while goesOn(town.figures.rounds.value, clock.now - begin) {
    await work(in: town)
    let round = town.figures.rounds.add()
    if let remnant = await town.rest() {
      Issue.record("round \(round) left objects behind: \(remnant)")
      break
    }
    guard town.figures.brokenPromises.isEmpty else {
      Issue.record("round \(round) broke \(town.figures.brokenPromises)")
      break
    }
    let bytes = Int(heap_bytes_in_use())
    if !isWarm(round, clock.now - begin) { atFirst = bytes }
    guard bytes <= atFirst + 1 << 20 else {
      Issue.record("\(bytes) bytes are in use after round \(round), \(bytes - atFirst) more than at first")
      break
    }
    if clock.now - shown > .seconds(10) {
      shown = clock.now
      show("\(clock.now - begin): \(town.figures.description); \(bytes - atFirst) bytes more than at first")
    }
  }
  show("soaked: \(town.figures.description); \(Int(heap_bytes_in_use()) - atFirst) bytes more than at first")
  await town.close()
}

/// Runs one round: all writers and readers work at once; then all readers leave.
private func work(in town: Town) async {
  await withTaskGroup(of: (tenancies: [Town.Tenancy], walks: [Town.Walk]).self) { group in
    for _ in 0..<2 {
      group.addTask {
        await town.write(100)
        return ([], [])
      }
      group.addTask { (await town.observe(100), []) }
    }
    group.addTask { ([], await town.iterate(60)) }
    var tenancies: [Town.Tenancy] = []
    var walks: [Town.Walk] = []
    for await left in group {
      tenancies += left.tenancies
      walks += left.walks
    }
    await town.expectLastValue(tenancies)
    await town.end(walks)
  }
}

private func show(_ line: String) {
  print(line)
  fflush(nil)
}
