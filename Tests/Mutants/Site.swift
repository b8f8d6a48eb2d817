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
  /// A name for each of its changes, once all sites of the file are known.
  var names: [String] = []

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

  /// Names all changes of one file. The number of changes of a kind is part of their names: where the code of a function
  /// has one more or one less, each name that tells them apart is another one, and what was said of it must be read
  /// again.
  static func name(_ sites: inout [Site], in source: [UInt8], of file: String) {
    var counts: [String: Int] = [:]
    for site in sites {
      for kind in site.kinds(in: source) { counts["\(site.function), \(kind)", default: 0] += 1 }
    }
    var seen: [String: Int] = [:]
    for index in sites.indices {
      sites[index].names = sites[index].kinds(in: source).map { kind in
        let key = "\(sites[index].function), \(kind)"
        let (place, count) = (seen[key, default: 0] + 1, counts[key, default: 1])
        seen[key] = place
        let name = "\(file): `\(sites[index].function)`, \(kind)"
        return count == 1 ? name : "\(name), \(place) of \(count)"
      }
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
  /// Switches it on. Numbers begin at 1.
  var number = 0
  /// Below `Schema.library`.
  let file: String
  let line: Int
  /// The folder of the library that its file is in; empty for none.
  var room: String { file.contains("/") ? String(file.prefix { $0 != "/" }) : "" }
  /// Says which change it is, in words that neither a moved line nor another comment changes: the name of its file
  /// without the folder, the function, the kind of change, and which of that kind within the function.
  let name: String
}
