// Operators for `bind(to:)`, `observe` and `bindTwoWay(to:)`. An operator cannot take an isolation as an argument. So
// an operator with an object or a closure on the right belongs to the main actor. On another isolation, use `bind(to:)`
// or `observe`.

precedencegroup BindingPrecedence {
  associativity: left
  higherThan: AssignmentPrecedence
  lowerThan: TernaryPrecedence
}

infix operator ->> : BindingPrecedence
infix operator <->> : BindingPrecedence

/// Hands each value of `source` to `target`, on the main actor, until the target is deallocated. Holds the target
/// weakly.
///
/// This operator is `bind(to:)` on the main actor. Elsewhere, use `bind(to:)` on an actor, or `bind(to:on:)`.
@MainActor
@discardableResult
public func ->> <Source: BindingSource, Target: BindingTarget<Source.Value>>(
  source: Source,
  target: Target
) -> BindingToken {
  source.bind(to: target, fileID: "->>", line: 0)
}

/// Calls `handler` with each value of `source`, on the main actor, until the token is cancelled or deallocated.
///
/// This operator is `observe` on the main actor. Keep its token. You need not keep the tokens of the other operators.
@MainActor
public func ->> <Source: BindingSource>(
  source: Source,
  handler: @escaping (Source.Value) -> Void
) -> BindingToken {
  source.observe(fileID: "->>", line: 0, handler)
}

/// Keeps the value of `cell` equal to `source`, until `cell` is deallocated. Holds the cell weakly.
///
/// This operator is `bind(to:)`. You may use it on any isolation.
@discardableResult
public func ->> <Source: BindingSource>(
  source: Source,
  cell: BindableActor<Source.Value>
) -> BindingToken {
  source.bind(to: cell, fileID: "->>", line: 0)
}

/// Keeps two cells equal, beginning with the value of `first`. If the values are Equatable, does not write a value that
/// equals the value of the other cell.
///
/// This operator is `bindTwoWay(to:)`.
@discardableResult
public func <->> <Value>(first: BindableActor<Value>, second: BindableActor<Value>) -> BindingToken {
  first.bindTwoWay(to: second, fileID: "<->>", line: 0)
}
