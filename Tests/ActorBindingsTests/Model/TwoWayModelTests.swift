import ActorBindings
import Testing

/// Runs random programs over two cells that a binding with a conversion keeps equal. When the binding has come to rest,
/// values, versions and failures must be as a model of the binding predicts.
@Suite
struct TwoWayModelTests {
  @Test(arguments: 0..<100)
  func `both cells hold what the model predicts`(seed: UInt64) async {
    var program = Program(seed: seed)
    for _ in 0..<200 { await program.step() }
    await program.end()
  }
}

private struct TooLarge: Error {}

/// A write to one of the two cells, or to both at one instant.
private enum Write: Sendable {
  case left(Int)
  case right(Int)
  case both(Int, Int)
  case leftIfChanged(Int)
  case modifiedRight(Int)

  static func random(using numbers: inout Numbers) -> Write {
    let left = Int.random(in: 0...3, using: &numbers)
    // Of these five numbers, 1 cannot be converted.
    let right = Int.random(in: -3...1, using: &numbers)
    return switch Int.random(in: 0..<8, using: &numbers) {
    case 0..<3: .left(left)
    case 3..<5: .right(right)
    case 5: .leftIfChanged(left)
    case 6: .modifiedRight(right)
    default: .both(left, right)
    }
  }

  /// This write, changed so that the result does not depend on when the binding reads.
  var certain: Write {
    switch self {
    case .left: self
    case .both(let first, let second): .both(first, min(second, 0))
    case .right(let value): .right(min(value, 0))
    case .modifiedRight(let value): .modifiedRight(min(value, 0))
    case .leftIfChanged(let value): .left(value)
    }
  }

  func run(on left: BindableActor<Int>, _ right: BindableActor<Int>) {
    switch self {
    case .left(let value): left.send(value)
    case .right(let value): right.send(value)
    case .leftIfChanged(let value): left.sendIfChanged(value)
    case .modifiedRight(let value): right.modify { $0 = value }
    case .both(let first, let second):
      BindingTransaction.run { transaction in
        transaction[right] = second
        transaction[left] = first
      }
    }
  }
}

/// A cell that remembers when it was last written.
private struct Side {
  var value: Int
  var version = UInt64(0)
  var instant = 0

  mutating func write(_ new: Int, at instant: Int) {
    value = new
    version += 1
    self.instant = instant
  }

  /// Writes `new` as the binding does: only if it differs from the value.
  mutating func become(_ new: Int) {
    if value != new { write(new, at: 0) }
  }
}

private struct Program {
  private let left = BindableActor(0)
  // Holds the negative of the left cell's value; values greater than 0 cannot be converted to the left.
  private let right = BindableActor(-7)
  private let failures = Counter()
  private var token: BindingToken?

  // The predictions of the model.
  private var onLeft = Side(value: 0)
  private var onRight = Side(value: -7)
  private var failed = 0

  private var numbers: Numbers

  init(seed: UInt64) {
    numbers = Numbers(seed: seed)
    bind()
  }

  mutating func step() async {
    switch Int.random(in: 0..<20, using: &numbers) {
    case 0: await bindAnew()
    case 1..<8: await writeMeanwhile()
    default: await writeAtOnce()
    }
    check()
  }

  private mutating func writes() -> [Write] {
    (0..<Int.random(in: 1...4, using: &numbers)).map { _ in .random(using: &numbers) }
  }

  // MARK: The steps

  private mutating func bind() {
    token = left.bindTwoWay(
      to: right,
      transform: { -$0 },
      reverse: { number throws -> Int in
        if number > 0 { throw TooLarge() }
        return -number
      },
      onFailure: { [failures] _ in failures.add() }
    )
    onRight.become(-onLeft.value)
    check()
  }

  // A value that is written while the cells are not bound is not copied.
  private mutating func bindAnew() async {
    token?.cancel()
    for write in writes() {
      write.run(on: left, right)
      note(write, at: 0)
    }
    check()
    bind()
    await left.settled()
  }

  // The binding runs on the left cell's isolation, so it reads after all writes.
  private mutating func writeAtOnce() async {
    let writes = writes()
    await left.run { [left, right] in
      for write in writes { write.run(on: left, right) }
    }
    await left.settled()
    (onLeft.instant, onRight.instant) = (0, 0)
    for (index, write) in writes.enumerated() { note(write, at: index + 1) }
    settle()
  }

  // The binding writes at the same time. The number of its writes depends on chance; the last values do not.
  private mutating func writeMeanwhile() async {
    let writes = writes().map(\.certain)
    let before = (left: onLeft.version, right: onRight.version)
    for write in writes { write.run(on: left, right) }
    await right.settled()
    (onLeft.instant, onRight.instant) = (0, 0)
    for (index, write) in writes.enumerated() { note(write, at: index + 1) }
    let written = (left: onLeft.version - before.left, right: onRight.version - before.right)
    settle()
    // The binding copies each write to the other side at most once.
    (onLeft.version, onRight.version) = (left.version, right.version)
    let all = written.left + written.right
    #expect((written.left...all).contains(onLeft.version - before.left))
    #expect((written.right...all).contains(onRight.version - before.right))
  }

  // MARK: The model

  private mutating func note(_ write: Write, at instant: Int) {
    switch write {
    case .left(let value): onLeft.write(value, at: instant)
    case .right(let value), .modifiedRight(let value): onRight.write(value, at: instant)
    case .leftIfChanged(let value): if onLeft.value != value { onLeft.write(value, at: instant) }
    case .both(let first, let second):
      onLeft.write(first, at: instant)
      onRight.write(second, at: instant)
    }
  }

  // The later write wins, and both sides get its value. Of two writes at one instant, the write to the left cell wins.
  private mutating func settle() {
    if onRight.instant > onLeft.instant {
      if onRight.value > 0 { failed += 1 } else { onLeft.become(-onRight.value) }
    } else if onLeft.instant > 0 {
      onRight.become(-onLeft.value)
    }
  }

  private func check() {
    #expect([left.value, right.value] == [onLeft.value, onRight.value])
    #expect([left.version, right.version] == [onLeft.version, onRight.version])
    #expect(failures.value == failed)
  }

  mutating func end() async {
    await writeAtOnce()
    await left.run { [left] in
      left.send(8)
      left.finish()
    }
    await left.settled()
    #expect(left.value == 8)
    #expect(right.value == -8)
    right.send(-9)
    await right.settled()
    #expect(left.value == 8)
    #expect(left.observerCount + right.observerCount == 0)
  }
}

extension BindableActor {
  fileprivate func run(_ body: @Sendable () -> Void) {
    body()
  }
}
