/// One word of a source file.
struct Token {
  enum Kind {
    case word
    case number
    case string
    case symbol
  }

  let kind: Kind
  let text: String
  /// The position of the token, in bytes.
  let range: Range<Int>
  let line: Int
  let startsLine: Bool
  let followsSpace: Bool
  let precedesSpace: Bool

  /// An operator between two operands: the formatter has put spaces around it.
  var isBinary: Bool { kind == .symbol && followsSpace && precedesSpace && !"()[]{},:;.".contains(text) }

  /// An operator before its operand.
  func isPrefix(_ symbol: String) -> Bool { text == symbol && !precedesSpace && kind == .symbol }
}

/// Splits a source file into tokens. Leaves out comments, and code that is compiled only for the explorer or for
/// another platform.
struct Lexer {
  private let bytes: [UInt8]
  private var position = 0
  private var line = 1
  private var startsLine = true
  private var tokens: [Token] = []
  // For each `#if` around this place, innermost last, whether its code is left out.
  private var directives: [Bool] = []

  private static let operatorBytes = Set("=-+!*/<>&|^~?%".utf8)

  static func tokens(of source: [UInt8]) -> [Token] {
    var lexer = Lexer(bytes: source)
    while lexer.position < source.count { lexer.next() }
    return lexer.tokens
  }

  private init(bytes: [UInt8]) {
    self.bytes = bytes
  }

  private func peek(_ distance: Int = 0) -> UInt8 {
    position + distance < bytes.count ? bytes[position + distance] : 0
  }

  private func starts(with text: String) -> Bool {
    bytes[position...].starts(with: text.utf8)
  }

  private mutating func next() {
    let byte = peek()
    switch byte {
    case UInt8(ascii: "\n"):
      position += 1
      line += 1
      startsLine = true
    case UInt8(ascii: " "): position += 1
    case UInt8(ascii: "/") where peek(1) == byte: skipLine()
    case UInt8(ascii: "#") where startsLine: directive()
    case UInt8(ascii: "\""): string()
    case _ where Self.isDigit(byte): number()
    case _ where Self.isWord(byte): word()
    case _ where Self.operatorBytes.contains(byte): operatorToken()
    case UInt8(ascii: ".") where peek(1) == byte: add(.symbol, length: 3)
    default: add(.symbol, length: 1)
    }
  }

  private mutating func skipLine() {
    while position < bytes.count, peek() != UInt8(ascii: "\n") { position += 1 }
  }

  private mutating func directive() {
    let begin = position
    skipLine()
    let text = String(decoding: bytes[begin..<position], as: UTF8.self)
    if text.hasPrefix("#if") {
      directives.append(text.contains("Explorer"))
    } else if text.hasPrefix("#elseif") {
      directives[directives.count - 1] = true
    } else if text.hasPrefix("#else") {
      directives[directives.count - 1].toggle()
    } else if text.hasPrefix("#endif") {
      directives.removeLast()
    }
  }

  private mutating func string() {
    let quotes = starts(with: "\"\"\"") ? "\"\"\"" : "\""
    var length = quotes.utf8.count
    while !bytes[(position + length)...].starts(with: quotes.utf8) {
      length += peek(length) == UInt8(ascii: "\\") ? 2 : 1
    }
    length += quotes.utf8.count
    let lines = bytes[position..<(position + length)].count { $0 == UInt8(ascii: "\n") }
    add(.string, length: length)
    line += lines
  }

  private mutating func number() {
    var length = 1
    while Self.isWord(peek(length)) { length += 1 }
    add(.number, length: length)
  }

  private mutating func word() {
    var length = 1
    while Self.isWord(peek(length)) { length += 1 }
    add(.word, length: length)
  }

  // Reads an operator. A character of `a?.b` or `Set<Int>?` is a token by itself, because it follows a name or a
  // bracket without a space.
  private mutating func operatorToken() {
    let previous = position > 0 ? bytes[position - 1] : 0
    let isAlone =
      Self.isWord(previous) || [UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: ">")].contains(previous)
    var length = 1
    if !isAlone { while Self.operatorBytes.contains(peek(length)) { length += 1 } }
    add(.symbol, length: length)
  }

  private mutating func add(_ kind: Token.Kind, length: Int) {
    let range = position..<(position + length)
    let before = position > 0 ? bytes[position - 1] : UInt8(ascii: "\n")
    position += length
    let token = Token(
      kind: kind,
      text: String(decoding: bytes[range], as: UTF8.self),
      range: range,
      line: line,
      startsLine: startsLine,
      followsSpace: Self.isSpace(before),
      precedesSpace: Self.isSpace(peek())
    )
    startsLine = false
    if !directives.contains(true) { tokens.append(token) }
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\n")
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  // Whether a byte is a letter, a digit, or begins `@attribute`, `#isolation`, `$0` or a quoted name.
  private static func isWord(_ byte: UInt8) -> Bool {
    isDigit(byte) || byte >= 128 || "_@#$`".utf8.contains(byte)
      || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }
}
