/// Reads expressions and conditions.
extension Finder {
  // Reads the tokens up to `stop`. `tests` is false where a comparison is a condition of its own.
  mutating func run(to stop: Int, tests: Bool = true) {
    while index < stop, let token {
      switch token.text {
      case "(", "[":
        let end = end(ofGroupAt: index)
        index += 1
        run(to: end - 1)
        index = end
      case "{": blocks.append(closure())
      case "while" where index > 0 && tokens[index - 1].text == "}" && !token.startsLine:
        // This `while` ends a `repeat`.
        index += 1
        condition(to: stop, neverOnly: true)
      case "if", "guard", "while": conditions()
      case "switch":
        let brace = next(["{"], from: index)
        index += 1
        run(to: brace)
        blocks.append(body(.other))
      case "for":
        index = next(["in"], from: index) + 1
        let brace = next(["{"], from: index)
        let filter = min(next(["where"], from: index), brace)
        run(to: filter)
        if filter < brace {
          index += 1
          condition(to: brace)
        }
        blocks.append(body(.onlyBranch))
      case "do", "repeat", "defer", "else", "catch":
        index += 1
        if self.token?.text == "throws" { index = next(["{"], from: index) }
        if self.token?.text == "{" { blocks.append(body(.branch)) }
      default:
        expression(token, tests: tests)
        index += 1
      }
    }
  }

  private mutating func closure() -> Block {
    let close = end(ofGroupAt: index)
    let line = tokens[index].line
    var signature = index + 1
    while signature < close, tokens[signature].line == line, tokens[signature].text != "in",
      tokens[signature].text != "for"
    {
      signature =
        ["(", "[", "{"].contains(tokens[signature].text) ? end(ofGroupAt: signature) : signature + 1
    }
    if signature < close, tokens[signature].text == "in" { index = signature }
    return body(.closure)
  }

  private mutating func conditions() {
    let isGuard = token?.text == "guard"
    let isLoop = token?.text == "while"
    index += 1
    let stop = isGuard ? next(["else"], from: index) : next(["{"], from: index)
    while index < stop {
      let end = min(next([","], from: index), stop)
      condition(to: end, neverOnly: isLoop)
      if index < stop { index += 1 }
    }
    if isGuard { return }
    let begin = index
    let hasElse = end(ofGroupAt: begin) < tokens.count && tokens[end(ofGroupAt: begin)].text == "else"
    let isBranch = begin > 0 && !isLoop
    guard token?.text == "{" else { return }
    blocks.append(body(isBranch && !hasElse ? .onlyBranch : .branch))
  }

  // Reads one condition of a list of conditions.
  private mutating func condition(to end: Int, neverOnly: Bool = false) {
    let begin = index
    if ["let", "var", "case"].contains(tokens[begin].text) {
      add(.binding, begin..<end)
      index = min(next(["="], from: begin) + 1, end)
      run(to: end)
    } else {
      // Never makes the condition of a loop always true: the tests would notice the endless loop, but only after a long
      // time.
      if !neverOnly {
        add(.condition, begin..<end)
      } else if tokens[begin].text != "true" {
        add(.value("false"), begin..<end)
      }
      let isSimple = !tokens[begin..<end].contains { $0.text == "&&" || $0.text == "||" }
      run(to: end, tests: !isSimple)
    }
    index = end
  }

  private mutating func expression(_ token: Token, tests: Bool) {
    let place = index..<(index + 1)
    let previous = index > 0 ? tokens[index - 1].text : ""
    if token.isBinary, let (operation, others) = Operation.of(token.text) {
      let wanted = tests || !operation.isTest ? others : Array(others.dropFirst())
      if !wanted.isEmpty { add(.binary(operation, wanted), place) }
    } else if token.isBinary, token.text == "?" {
      add(.condition, ternaryCondition()..<index)
    } else if token.isPrefix("!"), tests, token.followsSpace || ["(", "[", "{"].contains(previous) {
      add(.negation, place)
    } else if token.kind == .number, previous != "." {
      let other = ["0": "1", "1": "0"][token.text] ?? "1"
      add(.value(other), place)
    } else if token.text == "true" || token.text == "false", previous != "while" {
      add(.value(token.text == "true" ? "false" : "true"), place)
    } else if token.text == "min" || token.text == "max", previous != ".", tokens[index + 1].text == "(" {
      add(.extremum(token.text), index..<(index + 2))
    } else if previous == ".", index > 1 {
      member(token)
    }
  }

  private mutating func member(_ token: Token) {
    if tokens[index - 2].text == "Status", let other = Self.statuses[token.text] {
      let isQualified = tokens[index - 4].text == "Observation"
      add(.value("Observation." + other), (isQualified ? index - 4 : index - 2)..<(index + 1))
    } else if !tokens[index - 1].precedesSpace,
      tokens[index - 1].followsSpace || tokens[index - 2].text == "(",
      let other = Self.cursorValues["." + token.text],
      index + 1 >= tokens.count || tokens[index + 1].text != "("
    {
      add(.value(other), (index - 1)..<(index + 1))
    }
  }

  // Returns where the condition before the `?` at `index` begins.
  private func ternaryCondition() -> Int {
    let stops: Set = ["=", "return", "in", ",", ":", "else", "{", "(", "[", "+=", "-=", "?"]
    var begin = index
    while begin > 0 {
      let text = tokens[begin - 1].text
      if text == ")" || text == "]" || text == "}" {
        var depth = 0
        repeat {
          begin -= 1
          switch tokens[begin].text {
          case ")", "]", "}": depth += 1
          case "(", "[", "{": depth -= 1
          default: break
          }
        } while depth > 0
      } else if stops.contains(text), text != "?" || tokens[begin - 1].isBinary {
        break
      } else {
        begin -= 1
      }
    }
    return begin
  }
}
