/// Statements between braces, or behind the label of a `case`.
final class Block {
  enum Kind {
    /// Code that runs when a condition holds or an event happens.
    case branch
    /// The only branch of an `if` without `else`, or the body of a loop. If its single statement is left out, the
    /// effect is that of a condition that is never true, so these are one change.
    case onlyBranch
    /// A body that returns a value. A single statement is that value.
    case result
    /// A closure. A single statement may be its value.
    case closure
    /// Braces that are no body: a type, the cases of a `switch`.
    case other
  }

  var kind: Kind
  var statements: [Statement] = []

  init(_ kind: Kind) {
    self.kind = kind
  }

  /// The statements that can be left out.
  func droppable(isValue: Bool = false) -> [Statement] {
    let isSingle = statements.count == 1
    let mayBeValue = (isSingle || kind == .other) && (isValue || kind == .result || kind == .closure)
    return statements.flatMap { statement -> [Statement] in
      let isShort =
        statement.isDroppable && statement.blocks.count == 1 && statement.blocks[0].statements.count == 1
      let inner =
        isShort
        ? [] : statement.blocks.flatMap { $0.droppable(isValue: mayBeValue || statement.isDeclaration) }
      let isValue = mayBeValue && !statement.isAssignment
      if !statement.isDroppable || isValue || (isSingle && kind == .onlyBranch) { return inner }
      return [statement] + inner
    }
  }
}

struct Statement {
  let range: Range<Int>
  let line: Int
  let function: String
  let isDroppable: Bool
  let isAssignment: Bool
  /// Whether the statement declares something. If so, the code in its branches is a value.
  let isDeclaration: Bool
  let blocks: [Block]
}
