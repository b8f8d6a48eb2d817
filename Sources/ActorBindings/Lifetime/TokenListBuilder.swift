/// Builds the list of tokens in the closure of `DisposeBag.insert`.
@resultBuilder
public enum TokenListBuilder: Sendable {
  /// Takes one token.
  public static func buildExpression(_ token: BindingToken) -> [BindingToken] { [token] }

  /// Takes an array of tokens.
  public static func buildExpression(_ tokens: [BindingToken]) -> [BindingToken] { tokens }

  /// Takes the tokens of all lines.
  public static func buildBlock(_ tokens: [BindingToken]...) -> [BindingToken] { tokens.flatMap(\.self) }

  /// Takes the tokens of an `if` without an `else`.
  public static func buildOptional(_ tokens: [BindingToken]?) -> [BindingToken] { tokens ?? [] }

  /// Takes the tokens of the first branch.
  public static func buildEither(first tokens: [BindingToken]) -> [BindingToken] { tokens }

  /// Takes the tokens of the other branch.
  public static func buildEither(second tokens: [BindingToken]) -> [BindingToken] { tokens }

  /// Takes the tokens of a `for` loop.
  public static func buildArray(_ tokens: [[BindingToken]]) -> [BindingToken] { tokens.flatMap(\.self) }

  /// Takes the tokens under `if #available`.
  public static func buildLimitedAvailability(_ tokens: [BindingToken]) -> [BindingToken] { tokens }
}
