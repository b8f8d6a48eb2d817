/// An error: a row has got a wrong result, so its figures mean nothing.
struct WrongResult: Error {
  let message: String
}

func expect(_ condition: Bool, _ message: @autoclosure () -> String) throws {
  if !condition { throw WrongResult(message: message()) }
}

func expect<Value: Equatable>(_ found: Value, equals expected: Value, _ what: String) throws {
  try expect(found == expected, "\(what): \(found) instead of \(expected)")
}
