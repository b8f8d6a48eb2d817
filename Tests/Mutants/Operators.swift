/// The file that is added to the copy of the library: the switch, and an operator for each place that had an operator.
enum Operators {
  /// An operator's name: a number, in digits that the compiler accepts in operators.
  static func name(_ number: Int) -> String {
    var (name, rest) = ("", number)
    repeat {
      name.unicodeScalars.insert(
        Unicode.Scalar(UInt32(0x2500 + rest % 64))!,
        at: name.unicodeScalars.startIndex
      )
      rest /= 64
    } while rest > 0
    return name
  }

  static func declaration(of symbol: String, _ operation: Operation, _ others: [String], _ number: Int)
    -> String
  {
    func choice(_ form: (String) -> String) -> String {
      var text = form(symbol)
      for (index, other) in others.enumerated() {
        text = "Mutant.on(\(number + index)) ? \(form(other)) : (\(text))"
      }
      return text
    }
    func function(_ signature: String, _ body: String) -> String {
      "public func \(name(number)) \(signature) { \(body) }\n"
    }
    let side = others.map { other in
      "if Mutant.on(\(number + others.firstIndex(of: other)!)) { return \(other == "left" ? "a" : "try b()") }; "
    }.joined()
    let plain = choice { "a \($0) b" }
    let functions =
      switch operation {
      case .comparison: function("<T: Comparable>(_ a: T, _ b: T) -> Bool", plain)
      case .equality:
        function("<T: Equatable>(_ a: T, _ b: T) -> Bool", plain)
          + function("<T>(_ a: T?, _ b: _OptionalNilComparisonType) -> Bool", plain)
      case .identity: function("(_ a: AnyObject?, _ b: AnyObject?) -> Bool", plain)
      case .logic:
        function(
          "(_ a: Bool, _ b: @autoclosure () throws -> Bool) rethrows -> Bool",
          "\(side)return try a \(symbol) b()"
        )
      case .arithmetic, .shift:
        function("<T: FixedWidthInteger>(_ a: T, _ b: T) -> T", plain)
          + (symbol == "+"
            ? function(
              "<T: RangeReplaceableCollection>(_ a: T, _ b: T) -> T",
              "Mutant.on(\(number)) ? a : a + b"
            ) : "")
      case .coalescing:
        function(
          "<T>(_ a: T?, _ b: @autoclosure () throws -> T) rethrows -> T",
          "if Mutant.on(\(number)) { return try b() }; return try a ?? b()"
        )
          // Without this overload, an optional on the right would make the compiler wrap `a` in another optional, which
          // is never nil.
          + function(
            "<T>(_ a: T?, _ b: @autoclosure () throws -> T?) rethrows -> T?",
            "if Mutant.on(\(number)) { return try b() }; return try a ?? b()"
          )
      case .compound:
        function(
          "<T: FixedWidthInteger>(_ a: inout T, _ b: T)",
          "if Mutant.on(\(number)) { a \(others[0]) b } else { a \(symbol) b }"
        )
          + (symbol == "+="
            ? function(
              "<T: RangeReplaceableCollection>(_ a: inout T, _ b: T)",
              "if !Mutant.on(\(number)) { a += b }"
            )
            : "")
      }
    return "infix operator \(name(number)): \(precedence(of: symbol, operation))\n" + functions
  }

  private static func precedence(of symbol: String, _ operation: Operation) -> String {
    switch operation {
    case .comparison, .equality, .identity: "ComparisonPrecedence"
    case .logic: symbol == "&&" ? "LogicalConjunctionPrecedence" : "LogicalDisjunctionPrecedence"
    case .arithmetic: symbol == "*" || symbol == "&" ? "MultiplicationPrecedence" : "AdditionPrecedence"
    case .shift: "BitwiseShiftPrecedence"
    case .coalescing: "NilCoalescingPrecedence"
    case .compound: "AssignmentPrecedence"
    }
  }

  static func negation(_ number: Int) -> String { "!" + name(number) }

  static func declarationOfNegation(_ number: Int) -> String {
    """
    prefix operator \(negation(number))
    public prefix func \(negation(number)) (_ a: Bool) -> Bool { Mutant.on(\(number)) ? a : !a }

    """
  }

  static let switches = """
    #if canImport(Glibc)
      internal import Glibc
    #elseif canImport(Musl)
      internal import Musl
    #else
      internal import Darwin
    #endif

    public enum Mutant: Sendable {
      private static let active = unsafe getenv("ACTORBINDINGS_MUTANT").flatMap { unsafe Int(String(cString: $0)) } ?? 0

      // A byte for each change, which is set when its place is executed: only while a suite is measured.
      private nonisolated(unsafe) static let reached: UnsafeMutablePointer<UInt8>? = unsafe {
        guard let path = unsafe getenv("ACTORBINDINGS_REACHED") else { return nil }
        let file = unsafe open(path, O_RDWR)
        guard file >= 0 else { return nil }
        var status = unsafe stat()
        guard unsafe fstat(file, &status) == 0 else { return nil }
        let length = Int(unsafe status.st_size)
        let bytes = unsafe mmap(nil, length, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
        return unsafe bytes?.bindMemory(to: UInt8.self, capacity: length)
      }()

      public static func on(_ number: Int) -> Bool {
        if let reached = unsafe reached { unsafe reached[number] = 1 }
        return active == number
      }
      public static func condition(_ number: Int, _ condition: Bool) -> Bool {
        on(number) ? true : on(number + 1) ? false : condition
      }
      public static func value<T>(_ number: Int, _ value: T, _ other: T) -> T { on(number) ? other : value }
      public static func min<T: Comparable>(_ number: Int, _ a: T, _ b: T) -> T {
        on(number) ? Swift.max(a, b) : Swift.min(a, b)
      }
      public static func max<T: Comparable>(_ number: Int, _ a: T, _ b: T) -> T {
        on(number) ? Swift.min(a, b) : Swift.max(a, b)
      }
    }

    """
}
