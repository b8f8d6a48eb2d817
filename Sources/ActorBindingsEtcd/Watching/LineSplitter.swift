/// Divides a stream of bytes into lines, however the bytes are divided into chunks.
///
/// - Behavior: Looks at each byte once. An empty line is no line. What comes after the last line feed waits for the
///   next chunk.
package struct LineSplitter: Hashable, Sendable {
  /// An error: a line is longer than the limit.
  package struct LineTooLong: Error, Hashable {
    package let limit: Int

    package init(limit: Int) {
      self.limit = limit
    }
  }

  /// The largest number of bytes of a line.
  package let limit: Int
  // The beginning of a line whose end has not come.
  private var rest: [UInt8] = []

  package init(limit: Int) {
    self.limit = limit
  }

  /// A chunk came. Returns the lines that end in it, without their line feeds and
  /// carriage returns. Leaves out empty lines.
  package mutating func chunkCame(_ chunk: [UInt8]) throws(LineTooLong) -> [[UInt8]] {
    var lines: [[UInt8]] = []
    var start = chunk.startIndex
    while let end = chunk[start...].firstIndex(of: UInt8(ascii: "\n")) {
      try append(chunk[start..<end])
      if rest.last == UInt8(ascii: "\r") { rest.removeLast() }
      if !rest.isEmpty { lines.append(rest) }
      rest = []
      start = end + 1
    }
    try append(chunk[start...])
    return lines
  }

  private mutating func append(_ bytes: ArraySlice<UInt8>) throws(LineTooLong) {
    if rest.count + bytes.count > limit { throw LineTooLong(limit: limit) }
    rest += bytes
  }
}
