/// The candidates for one leadership, as the entries of a store show them. Each candidate has written one entry, once:
/// the candidate whose entry has the smallest revision leads, and the others wait in the order of their revisions.
package struct CandidateQueue: Sendable {
  /// The place of a candidate.
  package enum Place: Hashable, Sendable {
    /// No other candidate is before this one. The number is the revision of its entry.
    case first(StoreRevision)
    /// The entry with this key is the one just before.
    case behind(String)
    /// There is no entry of this candidate: its lease has ended.
    case absent
  }

  private let entries: [StoreEntry]

  /// Finds the candidates among the entries of a snapshot.
  ///
  /// - Parameter prefix: The prefix of the candidates' keys. An entry further below this prefix is no candidate.
  package init(_ entries: [StoreEntry], prefix: String) {
    self.entries = entries.filter { entry in
      entry.key.utf8.starts(with: prefix.utf8)
        && !entry.key.utf8.dropFirst(prefix.utf8.count).contains(UInt8(ascii: "/"))
    }
  }

  /// Returns the place of the candidate with this key.
  package func place(of key: String) -> Place {
    guard let own = entries.first(where: { $0.key.hasSameBytes(as: key) }) else { return .absent }
    let earlier = entries.filter { $0.revision < own.revision }
    guard let last = earlier.max(by: { $0.revision < $1.revision }) else { return .first(own.revision) }
    return .behind(last.key)
  }
}
