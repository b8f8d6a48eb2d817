/// Returns whether two values are equal. Values that are not Equatable never are.
func areEqual<Value>(_ left: Value, _ right: Value) -> Bool {
  guard let left = left as? any Equatable else { return false }
  return isEqual(left, right)
}

private func isEqual<Left: Equatable>(_ left: Left, _ right: Any) -> Bool {
  right as? Left == left
}
