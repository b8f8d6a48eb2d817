/// Finds the places of a file that can be changed.
///
/// A finder is no compiler: it knows brackets, blocks, statements and conditions as the formatter lays them out.
/// Changes that the compiler refuses are removed later.
struct Finder {
  let tokens: [Token]
  private(set) var sites: [Site] = []
  /// The bodies of functions and of computed properties, in bytes.
  private(set) var bodies: [Body] = []
  var index = 0
  private var function = ""
  // Variables that are declared without a value, so their assignments cannot be left out.
  private var uninitialized: Set<String> = []
  // Control blocks of the statement that is being read.
  var blocks: [Block] = []

  private static let types: Set = ["struct", "class", "enum", "extension", "actor", "protocol"]
  private static let modifiers: Set = [
    "public", "package", "internal", "private", "fileprivate", "static", "final", "override", "mutating",
    "nonmutating",
    "nonisolated", "weak", "unowned", "lazy", "consuming", "borrowing", "convenience", "required", "prefix",
    "indirect",
  ]
  // Functions and properties whose bodies serve only tests or mirrors.
  private static let leftOut: Set = ["checkInvariants", "customMirror", "members", "waits"]
  private static let traps: Set = ["preconditionFailure", "fatalError"]
  // A statement that begins with one of these words cannot be left out.
  private static let kept: Set = [
    "return", "throw", "break", "continue", "yield", "if", "guard", "while", "switch", "do", "repeat",
    "defer", "let",
    "var", "get", "set", "_modify", "super", "case", "typealias", "func", "SchedulePoint",
    "ThreadSanitizer", "nonisolated",
  ]
  static let cursorValues = [".idle": ".finished", ".finished": ".idle"]
  static let statuses = ["cancelled": "Status.finished", "finished": "Status.cancelled"]

  /// What stands between the braces of a function or of a computed property.
  struct Body {
    let function: String
    let range: Range<Int>
    /// Whether the body is an expression, which is the result without `return`.
    let isExpression: Bool
  }

  static func sites(in tokens: [Token]) -> [Site] {
    var finder = Finder(tokens: tokens)
    let block = finder.items(isType: true, .other)
    for statement in block.droppable() {
      finder.sites.append(
        Site(form: .statement, range: statement.range, line: statement.line, function: statement.function)
      )
    }
    return finder.sites
  }

  static func bodies(in tokens: [Token]) -> [Body] {
    var finder = Finder(tokens: tokens)
    _ = finder.items(isType: true, .other)
    return finder.bodies
  }

  private init(tokens: [Token]) {
    self.tokens = tokens
  }

  var token: Token? { index < tokens.count ? tokens[index] : nil }
  private var isAtEnd: Bool { token.map { $0.text == "}" } ?? true }

  mutating func add(_ form: Site.Form, _ range: Range<Int>) {
    guard !range.isEmpty else { return }
    let bytes = tokens[range.lowerBound].range.lowerBound..<tokens[range.upperBound - 1].range.upperBound
    sites.append(Site(form: form, range: bytes, line: tokens[range.lowerBound].line, function: function))
  }

  // Returns the index behind the bracket that closes the bracket at `begin`.
  func end(ofGroupAt begin: Int) -> Int {
    var depth = 0
    for index in begin..<tokens.count {
      switch tokens[index].text {
      case "(", "[", "{": depth += 1
      case ")", "]", "}": depth -= 1
      default: break
      }
      if depth == 0 { return index + 1 }
    }
    return tokens.count
  }

  // Returns the index of the next of these words outside of brackets.
  func next(_ texts: Set<String>, from begin: Int) -> Int {
    var index = begin
    while index < tokens.count, !texts.contains(tokens[index].text) {
      index = ["(", "[", "{"].contains(tokens[index].text) ? end(ofGroupAt: index) : index + 1
    }
    return index
  }
}

// MARK: - Blocks and statements

extension Finder {
  // Reads declarations or statements, up to the brace that closes the block.
  private mutating func items(isType: Bool = false, _ kind: Block.Kind) -> Block {
    let block = Block(kind)
    while !isAtEnd {
      if let statement = isType ? declaration() : statement() { block.statements.append(statement) }
    }
    return block
  }

  // Reads a block. `index` must be at the opening brace, and is behind the closing brace afterwards.
  mutating func body(isType: Bool = false, _ kind: Block.Kind) -> Block {
    index += 1
    let block = items(isType: isType, kind)
    index += 1
    return block
  }

  // Returns the index of the keyword of the declaration or statement that begins here, behind attributes and modifiers.
  private func head() -> Int {
    var index = index
    while index < tokens.count {
      let text = tokens[index].text
      guard text.hasPrefix("@") || Self.modifiers.contains(text) else { break }
      index += 1
      if index < tokens.count, tokens[index].text == "(", !tokens[index].followsSpace {
        index = end(ofGroupAt: index)
      }
    }
    return min(index, tokens.count - 1)
  }

  private mutating func declaration() -> Statement? {
    let head = head()
    let word = tokens[head].text
    if Self.types.contains(word) {
      index = next(["{"], from: head)
      return wrapper(body(isType: true, .other))
    }
    if word == "func" || word == "init" || word == "deinit" { return function(at: head) }
    if word == "var" || word == "let" { return variable(at: head) }
    skipStatement()
    return nil
  }

  private func wrapper(_ block: Block) -> Statement {
    Statement(
      range: 0..<0,
      line: 0,
      function: "",
      isDroppable: false,
      isAssignment: false,
      isDeclaration: false,
      blocks: [block]
    )
  }

  private mutating func function(at head: Int) -> Statement? {
    let isFunction = tokens[head].text == "func"
    let outer = function
    defer { function = outer }
    uninitialized = []
    function = isFunction ? tokens[head + 1].text : tokens[head].text
    index = head + 1
    while let token, token.text != "{" {
      // A requirement of a protocol has no body.
      if token.startsLine, continues(at: index) == false, tokens[index - 1].text != "->",
        token.text != "where"
      {
        return nil
      }
      index = ["(", "["].contains(token.text) ? end(ofGroupAt: index) : index + 1
    }
    let returns = isFunction && tokens[head..<index].contains { $0.text == "->" }
    if Self.leftOut.contains(function) {
      index = end(ofGroupAt: index)
      return nil
    }
    return wrapper(noted(returns ? .result : .branch))
  }

  // Reads the body of a function, from its opening brace, and adds it to `bodies`.
  private mutating func noted(_ kind: Block.Kind) -> Block {
    let (name, begin) = (function, index)
    let block = body(kind)
    let first = tokens[begin + 1].text
    bodies.append(
      Body(
        function: name,
        range: tokens[begin].range.upperBound..<tokens[index - 1].range.lowerBound,
        isExpression: kind == .result && block.statements.count == 1 && !Self.kept.contains(first)
      )
    )
    return block
  }

  private mutating func variable(at head: Int) -> Statement? {
    let name = tokens[head + 1].text
    function = name
    index = head + 1
    skipStatement()
    let stop = index
    index = next(["=", "{"], from: head)
    guard index < stop else {
      index = stop
      return nil
    }
    if Self.leftOut.contains(name) {
      index = stop
      return nil
    }
    if tokens[index].text == "{" { return wrapper(noted(.result)) }
    index += 1
    run(to: stop)
    return nil
  }

  private mutating func skipStatement() {
    let begin = index
    while let token, token.text != "}" {
      if index > begin, token.startsLine, !continues(at: index) { return }
      index = ["(", "[", "{"].contains(token.text) ? end(ofGroupAt: index) : index + 1
    }
  }

  // Whether the first token of a line belongs to the previous line.
  private func continues(at index: Int) -> Bool {
    let (token, previous) = (tokens[index], tokens[index - 1])
    if previous.isBinary || [",", "->", "else"].contains(previous.text) { return true }
    return token.isBinary || [".", "else", "where", ")", "]", "&&", "||", "??"].contains(token.text)
      || (token.text.hasPrefix("@") && previous.text.hasPrefix("@"))
  }

  private mutating func statement() -> Statement? {
    if token?.text == "case" || token?.text == "default" {
      index = next([":"], from: index) + 1
      let block = Block(.branch)
      while !isAtEnd, token?.text != "case", token?.text != "default" {
        if let statement = statement() { block.statements.append(statement) }
      }
      return wrapper(block)
    }
    let head = tokens[head()].text
    if Self.types.contains(head) || head == "func" { return declaration() }
    let begin = index
    skipStatement()
    let stop = index
    index = begin
    let outer = blocks
    blocks = []
    if tokens[begin].text == "precondition" || Self.traps.contains(tokens[begin].text) {
      index = stop
    } else {
      run(to: stop)
    }
    defer { blocks = outer }
    let words = tokens[begin..<stop]
    let isAssignment = next(["=", "+=", "-=", "&+="], from: begin) < stop
    if head == "let" || head == "var", !isAssignment { uninitialized.insert(tokens[begin + 1].text) }
    let isPlain = !uninitialized.contains(head) && !Self.kept.contains(head) && !Self.traps.contains(head)
    let isCall = words.contains { $0.text == "(" } || words.last?.text == "}"
    // `self.init(…)`: without this call, an initializer that delegates does not compile.
    let isDelegation = head == "self" && words.dropFirst(2).first?.text == "init"
    // A statement that only extends a lifetime.
    let isConsumption = words.contains { $0.text == "consume" } && tokens[begin].text == "_"
    return Statement(
      range: tokens[begin].range.lowerBound..<tokens[stop - 1].range.upperBound,
      line: tokens[begin].line,
      function: function,
      isDroppable: isPlain && (isAssignment || isCall) && !isConsumption && !isDelegation
        && !(function == "init" && isAssignment),
      isAssignment: isAssignment && head != "for",
      isDeclaration: ["let", "var", "return"].contains(head),
      blocks: blocks
    )
  }
}
