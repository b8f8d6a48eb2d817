extension CollectionDifference where ChangeElement: Sendable {
  /// Creates the difference between the array before the first step and the array after the last.
  ///
  /// ```swift
  /// if case .edits(let edits) = change.content {
  ///   dataSource.apply(CollectionDifference(edits))
  /// }
  /// ```
  ///
  /// The offsets differ from the offsets of the steps. The offset of a removal refers to the array before all steps,
  /// and the offset of an insertion to the array after all steps. A moved element is a removal and an insertion, each
  /// associated with the other. An update is a removal of the old element and an insertion of the new one. The
  /// difference leaves out an element that the steps insert and later remove.
  ///
  /// - Complexity: Grows with the number of steps, not with the length of the array.
  public init(_ edits: some Sequence<ArrayEdit<ChangeElement>>) {
    // The elements of the steps. The trail refers to an element by its number: its index in this array.
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

/// What the steps say about an array, without the array itself: the stretches of elements that the array had before the
/// steps, and the elements that the steps have inserted between these stretches.
private struct EditTrail {
  struct Stretch: ListItem {
    enum Content: Sendable {
      /// Elements of the array before all steps, from this offset on. The weight of the stretch is the number of these
      /// elements.
      case kept(from: Int)
      /// One inserted element. If the element was moved, `from` is its offset in the array before all steps.
      case come(number: Int, from: Int?)
    }

    let content: Content
    let weight: Int
  }

  // The length of the array is unknown, so the first stretch is longer than any array.
  private var stretches = ListTree([Stretch(content: .kept(from: 0), weight: .max / 2)])
  private var gone: [Int: Int] = [:]

  mutating func insert(_ number: Int, at offset: Int, from origin: Int?) {
    stretches.insert(Stretch(content: .come(number: number, from: origin), weight: 1), at: cut(at: offset))
  }

  /// Removes the element at `offset`. Returns its offset in the array before all steps; nil if that array did not have
  /// the element.
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

  /// Cuts the stretch around `offset` in two, if needed. Returns the index of the stretch that then begins at `offset`.
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
