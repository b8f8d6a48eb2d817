/// A key whose hash can be arbitrarily bad.
struct Clumsy: Hashable, Sendable, CustomStringConvertible {
  let number: Int
  let hashValue: Int

  init(_ number: Int, hash: Int) {
    self.number = number
    hashValue = hash
  }

  static func == (left: Clumsy, right: Clumsy) -> Bool { left.number == right.number }

  func hash(into hasher: inout Hasher) { hasher.combine(number) }

  var description: String { "\(number)" }
}

/// How badly keys are hashed.
enum Clumsiness: CaseIterable, Sendable {
  /// Keys are hashed as well as in Swift.
  case none
  /// Keys have only a few hashes, which differ in their first bits, their last bits, or some bits in between.
  case first, last, between
  /// All keys have one hash.
  case hopeless
  /// Some hashes share a prefix and differ at different levels, and some are equal.
  case mixed

  func key(_ number: Int) -> Clumsy {
    let hash =
      switch self {
      case .none: number.hashValue
      case .first: number % 7
      case .last: (number % 7) << (Int.bitWidth - 4)
      case .between: (number % 7) << 21
      case .hopeless: 42
      case .mixed: number % 3 == 0 ? 5 : (number % 5) << (4 * (number % Int.bitWidth / 4))
      }
    return Clumsy(number, hash: hash)
  }
}

/// A value that identifies the write that made it.
struct Written: Equatable, Sendable {
  let number: Int
  let serial: Int
  /// An object that shows whether each value is released once.
  let citizen: Census.Citizen

  /// Compares the written numbers, not the writes.
  static func == (left: Written, right: Written) -> Bool { left.number == right.number }
}
