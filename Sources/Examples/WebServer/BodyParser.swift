/// Reads the body of a request, in pieces of any size, and forgets it: no path of these servers needs one.
///
/// ### States
/// - *counted n*: n bytes of the body are still to come.
/// - *size*: the line with the size of the next chunk is being read.
/// - *chunk n*: n bytes of a chunk are still to come.
/// - *chunkEnd*: the line end behind a chunk is being read.
/// - *trailer*: a line behind the last chunk is being read. An empty line ends the body.
/// - *over*: it has returned `complete` or `refused`, and must not be called again.
///
/// ### Behavior
/// The parser keeps at most one line. It ignores extensions of chunks and trailers, as RFC 9112 allows, and bytes after
/// the body. It refuses a body that is longer than `longestBody`, with all that frames its chunks.
package struct BodyParser: Sendable {
  package enum Outcome: Sendable, Equatable {
    case needsMore
    case complete
    case refused(Status)
  }

  package static let longestBody = 16_000

  private enum State {
    case counted(Int)
    case size
    case chunk(Int)
    case chunkEnd
    case trailer
  }

  private var state: State
  private var reader = LineReader()
  private var size = 0

  /// Returns nil for a request without a body.
  package init?(of request: Request) {
    switch request.body {
    case .none: return nil
    case .counted(let count): state = .counted(count)
    case .chunked: state = .size
    }
  }

  /// Reads the next bytes. The first call may have none: it refuses a body that is announced to be too long.
  package mutating func received(_ bytes: some Sequence<UInt8>) -> Outcome {
    if case .counted(let count) = state, count > Self.longestBody { return .refused(.bodyRefused) }
    for byte in bytes {
      let outcome = received(byte)
      if outcome != .needsMore { return outcome }
    }
    return .needsMore
  }

  private mutating func received(_ byte: UInt8) -> Outcome {
    size += 1
    if size > Self.longestBody { return .refused(.bodyRefused) }
    switch state {
    case .counted(let count):
      state = .counted(count - 1)
      return count == 1 ? .complete : .needsMore
    case .chunk(let count):
      state = count == 1 ? .chunkEnd : .chunk(count - 1)
      return .needsMore
    case .size, .chunkEnd, .trailer:
      switch reader.received(byte) {
      case .needsMore: return .needsMore
      case .malformed: return .refused(.badRequest)
      case .complete:
        defer { reader.clear() }
        return completed(reader.line)
      }
    }
  }

  private mutating func completed(_ line: [UInt8]) -> Outcome {
    switch state {
    case .chunkEnd where line.isEmpty: state = .size
    case .chunkEnd: return .refused(.badRequest)
    case .trailer where line.isEmpty: return .complete
    case .trailer: break
    case .size:
      let digits = line.prefix { $0.hexValue != nil }
      let rest = line.dropFirst(digits.count)
      guard !digits.isEmpty, rest.isEmpty || [semicolon, space, tab].contains(rest[rest.startIndex]) else {
        return .refused(.badRequest)
      }
      // A number with too many digits is too large, unless its first digits are zeros.
      let significant = digits.drop { $0 == UInt8(ascii: "0") }
      guard significant.count <= 8 else { return .refused(.bodyRefused) }
      let count = significant.reduce(0) { $0 << 4 | Int($1.hexValue ?? 0) }
      if count > Self.longestBody { return .refused(.bodyRefused) }
      state = count == 0 ? .trailer : .chunk(count)
    case .counted, .chunk: break
    }
    return .needsMore
  }
}

private let semicolon = UInt8(ascii: ";")
