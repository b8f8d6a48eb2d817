extension CollectionDifference where ChangeElement: Sendable {
  /// What these steps come to, from the array before the first to the one after the last.
  ///
  /// ```swift
  /// if case .edits(let edits) = change.content { dataSource.apply(CollectionDifference(edits)) }
  /// ```
  ///
  /// Its offsets are not those of the steps: a removal says where the element was in the array before all of them, an
  /// insertion where it is in the array after all of them. A moved element is removed and inserted, and each of the two
  /// names the other; an updated one is removed, and the new one inserted. What came and went is left out.
  ///
  /// - Complexity: It grows with the number of steps, not with the array.
  public init(_ edits: some Sequence<ArrayEdit<ChangeElement>>) {
    // What comes and goes; the trail knows it by its number.
    var elements: [ChangeElement] = []
    func number(_ element: ChangeElement) -> Int {
      elements.append(element)
      return elements.count - 1
    }
    var trail = EditTrail()
    for edit in edits {
      switch edit {
      case .insert(let offset, let element):
        trail.insert(number(element), at: offset, from: nil)
      case .remove(let offset, let element):
        trail.remove(number(element), at: offset)
      case .update(let offset, let element, let old):
        trail.remove(number(old), at: offset)
        trail.insert(number(element), at: offset, from: nil)
      case .move(let source, let destination, let element):
        let number = number(element)
        trail.insert(number, at: destination, from: trail.remove(number, at: source))
      }
    }
    guard let difference = CollectionDifference(trail.changes(of: elements)) else {
      preconditionFailure("steps came to a difference that removes or inserts twice at one offset")
    }
    self = difference
  }
}

/// What is known of an array by the steps that were taken alone: which stretches of it were there before, and what has
/// come between them.
private struct EditTrail {
  struct Stretch: ListItem {
    enum Content: Sendable {
      /// So many elements that were there before, from that offset on.
      case kept(from: Int)
      /// One that has come; if it was moved, from that offset.
      case come(number: Int, from: Int?)
    }

    let content: Content
    let weight: Int
  }

  // How long the array is, nobody says.
  private var stretches = ListTree([Stretch(content: .kept(from: 0), weight: .max / 2)])
  private var gone: [Int: Int] = [:]

  mutating func insert(_ number: Int, at offset: Int, from origin: Int?) {
    stretches.insert(Stretch(content: .come(number: number, from: origin), weight: 1), at: cut(at: offset))
  }

  /// Returns where it was before, if it was there.
  @discardableResult
  mutating func remove(_ number: Int, at offset: Int) -> Int? {
    let index = cut(at: offset)
    _ = cut(at: offset + 1)
    switch stretches.remove(at: index).content {
    case .kept(let origin):
      gone[origin] = number
      return origin
    case .come(_, let origin):
      return origin
    }
  }

  /// Returns the stretch that begins at `offset` then.
  private mutating func cut(at offset: Int) -> Int {
    let (end, rest) = stretches.offset(behind: offset)
    guard rest > 0, case .kept(let origin) = stretches[end - 1].content else { return end }
    let head = stretches[end - 1].weight - rest
    stretches.replace(at: end - 1, with: Stretch(content: .kept(from: origin), weight: head))
    stretches.insert(Stretch(content: .kept(from: origin + head), weight: rest), at: end)
    return end
  }

  func changes<Element>(of elements: [Element]) -> [CollectionDifference<Element>.Change] {
    var insertions: [CollectionDifference<Element>.Change] = []
    var destinations: [Int: Int] = [:]
    var offset = 0
    for stretch in stretches {
      if case .come(let number, let origin) = stretch.content {
        insertions.append(.insert(offset: offset, element: elements[number], associatedWith: origin))
        if let origin { destinations[origin] = offset }
      }
      offset += stretch.weight
    }
    return insertions
      + gone.map { .remove(offset: $0, element: elements[$1], associatedWith: destinations[$0]) }
  }
}
