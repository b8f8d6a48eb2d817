// The thin face of `bind(to:)` and `bindTwoWay(to:)`. An operator has no room for an isolation, so with an object on the
// right it is one of the main actor; elsewhere, say `bind(to:)`.

precedencegroup BindingPrecedence {
  associativity: left
  higherThan: AssignmentPrecedence
  lowerThan: TernaryPrecedence
}

infix operator ->> : BindingPrecedence
infix operator <->> : BindingPrecedence

/// Hands each value of `source` to `target`, on the main actor, until the target is gone. The target is held weakly.
///
/// It is `bind(to:)` of the main actor. Elsewhere, use `bind(to:)` on an actor, or `bind(to:on:)`.
@MainActor
@discardableResult
public func ->> <Source: BindingSource, Target: BindingTarget<Source.Value>>(
  source: Source,
  target: Target
) -> BindingToken {
  source.bind(to: target)
}

/// Calls `handler` with each value of `source`, on the main actor, until the token is cancelled or goes.
///
/// It is `observe` of the main actor: unlike the tokens of the other operators this one must be kept.
@MainActor
public func ->> <Source: BindingSource>(
  source: Source,
  handler: @escaping (Source.Value) -> Void
) -> BindingToken {
  source.observe(handler)
}

/// Keeps the value of `cell` equal to `source`, until `cell` is gone. The cell is held weakly.
///
/// It is `bind(to:)`, and may stand anywhere.
@discardableResult
public func ->> <Source: BindingSource>(
  source: Source,
  cell: BindableActor<Source.Value>
) -> BindingToken {
  source.bind(to: cell)
}

/// Keeps two cells equal, beginning with the value of `first`. Equatable values that are equal are not written. It is
/// `bindTwoWay(to:)`.
@discardableResult
public func <->> <Value>(first: BindableActor<Value>, second: BindableActor<Value>) -> BindingToken {
  first.bindTwoWay(to: second)
}
