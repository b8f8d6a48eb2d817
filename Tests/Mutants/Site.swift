/// A place where the library is changed, in one way or in several.
struct Site {
  /// How the place looks once each of its changes can be switched on.
  enum Form {
    /// A statement that is left out.
    case statement
    /// A condition that is taken to hold, or not to hold, whatever it is.
    case condition
    /// An optional binding or a pattern that is taken not to match.
    case binding
    /// An operator that does something else. Each has its own name, so no operand need be looked for.
    case binary(Operation, [String])
    /// A `!` that is left out.
    case negation
    /// An expression in place of another.
    case value(String)
    /// `min` for `max` and the other way round. The range ends behind the bracket.
    case extremum(String)
  }

  let form: Form
  /// In bytes.
  let range: Range<Int>
  let line: Int
  let function: String

  /// What is different with each of its changes.
  func kinds(in source: [UInt8]) -> [String] {
    let text = String(decoding: source[range], as: UTF8.self)
    return switch form {
    case .statement: ["dropped"]
    case .condition: ["always true", "never true"]
    case .binding: ["never bound"]
    case .binary(_, let others): others.map { "\(text) becomes \($0)" }
    case .negation: ["! dropped"]
    case .value(let other): ["\(text) becomes \(other)"]
    case .extremum(let name): ["\(name) becomes \(name == "min" ? "max" : "min")"]
    }
  }
}

/// What a binary operator does, and so with which signature another takes its place.
enum Operation: String {
  case comparison
  case equality
  case identity
  case logic
  case arithmetic
  case shift
  case coalescing
  case compound

  /// What it is, and what becomes of it: first what negates it.
  static func of(_ symbol: String) -> (Operation, [String])? {
    switch symbol {
    case "<": (.comparison, [">=", "<="])
    case "<=": (.comparison, [">", "<"])
    case ">": (.comparison, ["<=", ">="])
    case ">=": (.comparison, ["<", ">"])
    case "==": (.equality, ["!="])
    case "!=": (.equality, ["=="])
    case "===": (.identity, ["!=="])
    case "!==": (.identity, ["==="])
    case "&&", "||": (.logic, ["left", "right"])
    case "+": (.arithmetic, ["-"])
    case "-": (.arithmetic, ["+"])
    case "&+": (.arithmetic, ["&-"])
    case "&-": (.arithmetic, ["&+"])
    case "*": (.arithmetic, ["+"])
    case "&": (.arithmetic, ["|"])
    case "<<": (.shift, [">>"])
    case "??": (.coalescing, ["right"])
    case "+=": (.compound, ["-="])
    case "-=": (.compound, ["+="])
    case "&+=": (.compound, ["&-="])
    default: nil
    }
  }

  /// Whether its first change negates it: a condition that is nothing but this needs no such change.
  var isTest: Bool { [.comparison, .equality, .identity].contains(self) }
}

/// One change, as it is listed, explained and switched on.
struct Mutant {
  /// What switches it on; from 1.
  var number = 0
  let file: String
  let line: Int
  let function: String
  /// The line as it is.
  let text: String
  var kind: String

  /// What says which change it is when lines have moved.
  var name: String { "\(file): `\(text)` in `\(function)`, \(kind)" }
}
