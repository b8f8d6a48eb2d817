/// A place where the library is changed, in one way or in several.
struct Site {
  /// The kind of code at a place, which determines how the changes are switched on.
  enum Form {
    /// A statement that is left out.
    case statement
    /// A condition that is always true, or always false.
    case condition
    /// An optional binding or a pattern that never matches.
    case binding
    /// An operator that is replaced. Each place has its own operator name, so the operands need not be found.
    case binary(Operation, [String])
    /// A `!` that is left out.
    case negation
    /// An expression that replaces another.
    case value(String)
    /// `min` for `max` and the other way round. The range ends behind the opening bracket.
    case extremum(String)
  }

  let form: Form
  /// The range of the place in the file, in bytes.
  let range: Range<Int>
  let line: Int
  let function: String
  /// A name for each change at this place. Empty until all sites of the file are known.
  var names: [String] = []

  /// Returns the difference that each change at this place makes.
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

  /// Names all changes of one file. If a function has several changes of one kind, their number is part of their names.
  /// So if an edit of the library adds or removes such a change, the names of all changes of this kind in the function
  /// differ from before. Then their explanations must be read again.
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

/// The kind of a binary operator, which determines the signature of its replacement.
enum Operation: String {
  case comparison
  case equality
  case identity
  case logic
  case arithmetic
  case shift
  case coalescing
  case compound

  /// Returns the kind of an operator, and the replacements, with the negation first.
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

  /// Whether the first replacement negates the operator. If so, a condition that consists only of this operator needs
  /// no further negation.
  var isTest: Bool { [.comparison, .equality, .identity].contains(self) }
}

/// One change, which can be listed, explained and switched on.
struct Mutant {
  /// The number that switches this change on. Numbers begin at 1.
  var number = 0
  /// The path of the changed file, below `Schema.library`.
  let file: String
  let line: Int
  /// The folder of the library with the changed file. Empty if the file is in no folder.
  var room: String { file.contains("/") ? String(file.prefix { $0 != "/" }) : "" }
  /// Says which change it is, in words that neither a moved line nor another comment changes: the name of the file
  /// without the folder, the function, the kind of change, and which of that kind within the function.
  let name: String
}
