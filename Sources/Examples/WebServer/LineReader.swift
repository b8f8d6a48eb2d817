/// Reads a line that ends in a carriage return and a line feed, byte by byte.
struct LineReader: Sendable {
  enum Outcome {
    case needsMore
    case complete
    /// The line has a carriage return or a line feed that does not end it.
    case malformed
  }

  /// The line, without its end.
  private(set) var line: [UInt8] = []

  /// Reads the next byte.
  mutating func received(_ byte: UInt8) -> Outcome {
    if byte == lineFeed { return line.popLast() == carriageReturn ? .complete : .malformed }
    if line.last == carriageReturn { return .malformed }
    line.append(byte)
    return .needsMore
  }

  /// Begins the next line.
  mutating func clear() {
    line.removeAll(keepingCapacity: true)
  }
}
