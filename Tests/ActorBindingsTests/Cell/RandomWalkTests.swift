import ActorBindings
import Testing

/// Compares a cell with a model that keeps every value for ever.
@Suite
struct RandomWalkTests {
  /// A reader of the model: its position, and what it receives next.
  private struct ModelReader {
    var seen: Int
    let depth: Int
    var isFresh = true

    /// Returns what the reader receives next if `newest` is the newest version. In a pass, the reader receives no
    /// version after `pass`.
    mutating func next(of newest: Int, pass: Int?) -> (version: Int, skipped: Int, isInitial: Bool)? {
      let last = pass ?? newest
      guard seen < last else { return nil }
      let oldest = depth == 1 ? last : max(seen + 1, newest - depth + 1)
      let version = min(oldest, last)
      let skipped = version - seen - 1
      defer { (seen, isFresh) = (version, false) }
      return (version, skipped, isFresh && skipped == 0)
    }
  }

  private struct Walk {
    let cell = Cell(0)
    var values = [0]
    var isFinished = false
    var readers: [(position: ReadPosition<Int>, model: ModelReader)] = []
    var random: Numbers

    mutating func step() {
      switch Int.random(in: 0..<100, using: &random) {
      case 0..<35: send()
      case 35..<40: join()
      case 40..<44: leave()
      case 44..<90: pull(in: nil)
      case 90..<99: pass()
      default: if values.count > 2_000 { finish() }
      }
      cell.locked { state, roster in state.checkInvariants(roster) }
    }

    mutating func send() {
      let value = Int.random(in: 0..<1_000, using: &random)
      cell.send(value)
      if !isFinished { values.append(value) }
      #expect(cell.value == values.last)
    }

    mutating func join() {
      guard readers.count < 12 else { return }
      let depth = [1, 2, 3, 5, 17, .max].randomElement(using: &random) ?? 1
      let position = cell.locked { $0.joined(depth: UInt32(clamping: depth), at: $1.version) }
      readers.append((position, ModelReader(seen: values.count - 2, depth: min(depth, 1 << 40))))
    }

    mutating func leave() {
      guard let index = readers.indices.randomElement(using: &random) else { return }
      var position = readers.remove(at: index).position
      _ = cell.locked { [cell] in $0.left(&position, at: $1.version, of: cell) }
    }

    mutating func finish() {
      cell.finish()
      isFinished = true
    }

    /// Lets a few readers read in the same pass while others write.
    mutating func pass() {
      guard let pass = cell.makePassSnapshot() as? PassSnapshot<Int> else { return }
      cell.locked { roster in cell.fillWhileLocked(pass, roster) }
      for _ in 0..<Int.random(in: 1...8, using: &random) {
        if Bool.random(using: &random) { send() }
        pull(in: pass)
      }
    }

    mutating func pull(in pass: PassSnapshot<Int>?) {
      guard let index = readers.indices.randomElement(using: &random) else { return }
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        let passVersion = pass.map { Int($0.version) }
        // A pass delivers nothing to a reader that has read, or has joined at, a version after the version of the pass.
        let reader = readers[index].model
        if let passVersion, reader.seen + (reader.isFresh ? 1 : 0) > passVersion { return }
        let expected = readers[index].model.next(of: values.count - 1, pass: passVersion)
        switch cell.next(at: &readers[index].position, in: pass) {
        case .element(let value, let stamp):
          #expect(expected?.version == Int(stamp.version))
          #expect(expected?.skipped == Int(stamp.skipped))
          #expect(expected?.isInitial == stamp.isInitial)
          #expect(value == values[Int(stamp.version)])
        case .rejected: Issue.record("a cell rejects nothing")
        case .idle: #expect(expected == nil && !(pass?.isFinished ?? isFinished))
        case .finished: #expect(expected == nil && pass?.isFinished ?? isFinished)
        }
        cell.locked { state, roster in state.checkInvariants(roster) }
      }
    }

    /// Checks that all remaining readers see the last value, and the end.
    mutating func end() {
      finish()
      while !readers.isEmpty {
        for index in readers.indices {
          while case .element = cell.next(at: &readers[index].position, in: nil) {}
          #expect(readers[index].position.seen == UInt64(values.count - 1))
        }
        leave()
      }
      cell.locked { state, roster in
        state.checkInvariants(roster)
        #expect(!state.keepsHistory)
        #expect(state.window.count == 0)
      }
    }
  }

  @Test(arguments: 1...UInt64(8))
  func `readers of every depth receive what the model predicts`(seed: UInt64) {
    for turn in 0..<stressed(1) {
      var walk = Walk(random: Numbers(seed: seed + UInt64(turn) << 32))
      for _ in 0..<5_000 { walk.step() }
      walk.end()
    }
  }
}

/// Reproducible random numbers (SplitMix64).
struct Numbers: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
    return word ^ (word >> 31)
  }
}
