/// What a junction and its inputs have left behind, and nothing else wants. Released after the lock.
// Usable from inline: client modules destroy such a value faster if they know its layout.
@usableFromInline
package struct PassedHistory: Sendable {
  /// Slots of one chunk that are finished, with versions in a row.
  @usableFromInline
  package struct Slots: Sendable {
    @usableFromInline let chunk: AnyLogChunk
    @usableFromInline package var versions: Range<UInt64>

    // Returns false if the slot does not follow the other slots.
    fileprivate mutating func add(_ version: UInt64, in chunk: AnyLogChunk) -> Bool {
      guard chunk === self.chunk, version == versions.upperBound else { return false }
      versions = versions.lowerBound..<version &+ 1
      return true
    }

    fileprivate func clear() {
      for version in versions { chunk.clear(version) }
    }
  }

  // Most steps leave behind at most one object, and slots of at most two chunks, which take no array.
  @usableFromInline package var first: Slots?
  @usableFromInline package var second: Slots?
  @usableFromInline package var others: [Slots] = []
  @usableFromInline var object: (any AnyObject & Sendable)?
  @usableFromInline var otherObjects: [any AnyObject & Sendable] = []

  @usableFromInline
  package init() {}

  /// Adds a slot that is finished.
  package mutating func add(_ version: UInt64, in chunk: AnyLogChunk) {
    if first?.add(version, in: chunk) == true || second?.add(version, in: chunk) == true { return }
    // Searches only the last four items. A junction visits its cells in turn, so with many cells a search of all items
    // would cost more than one more item.
    for index in others.indices.suffix(4) {
      if others[index].add(version, in: chunk) { return }
    }
    let slots = Slots(chunk: chunk, versions: version..<version &+ 1)
    if first == nil {
      first = slots
    } else if second == nil {
      second = slots
    } else {
      others.append(slots)
    }
  }

  @usableFromInline
  mutating func add(_ object: any AnyObject & Sendable) {
    if self.object == nil { self.object = object } else { otherObjects.append(object) }
  }

  /// Releases the values of the slots. The objects are released with this struct.
  @usableFromInline
  package mutating func clear() {
    first.take()?.clear()
    second.take()?.clear()
    for slots in others { slots.clear() }
    others = []
  }
}
