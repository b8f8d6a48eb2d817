/// The number of entries to ask for in one answer, so that an answer has about a megabyte.
///
/// Events:
/// - `answerCame`: The answer shows the size of the entries, and so the number of the next page.
/// - `answerFailed`: The page was too large, or did not come in time. The next page has half as many entries and bytes.
///
/// - Behavior: Begins with few entries, because they may be large. The number grows eightfold at most from one page to
///   the next, so that an answer has a few megabytes at most, unless larger entries follow small ones. The bytes of a
///   page, which a failure halves, grow slowly again: otherwise each second page of a slow connection would fail.
package struct PageLimit: Hashable, Sendable {
  /// The largest number of bytes of an answer to a request for several entries.
  package static let answerBytes = 8 << 20

  private static let largestPage = 1 << 20
  private static let smallestPage = 64 << 10

  /// The number of entries to ask for.
  package private(set) var entries = 32
  // The number of bytes that a page should have.
  private var bytes = largestPage

  package init() {}

  /// An answer with this many entries and bytes came. An answer without entries does not show their size.
  package mutating func answerCame(entries count: Int, bytes answer: Int) {
    guard count > 0 else { return }
    let size = max(answer / count, 1)
    entries = min(max(bytes / size, 1), 8 * entries, 8192)
    bytes = min(bytes + Self.smallestPage, Self.largestPage)
  }

  /// A page of this many entries was too large, or did not come in time.
  ///
  /// - Parameter count: The number that was asked for. Loads that fail at once halve the limit once.
  package mutating func answerFailed(entries count: Int) {
    guard count <= entries else { return }
    entries = max(entries / 2, 1)
    bytes = max(bytes / 2, Self.smallestPage)
  }
}

/// The limit of each prefix: the entries of one may be a thousand times as large as those of another.
package struct PageLimits: Hashable, Sendable {
  /// The largest number of limits. A program that loads more prefixes forgets all limits now and then.
  package static let mostPrefixes = 4096

  private var limits: [String: PageLimit] = [:]

  package init() {}

  package subscript(prefix: String) -> PageLimit {
    get { limits[prefix] ?? PageLimit() }
    set {
      if limits.count >= Self.mostPrefixes, limits[prefix] == nil { limits = [:] }
      limits[prefix] = newValue
    }
  }
}
