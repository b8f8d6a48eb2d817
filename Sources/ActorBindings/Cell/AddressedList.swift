/// A link of an `AddressedList`. A link has an address, and leads to the next link.
@usableFromInline
package protocol AddressedLink {
  associatedtype Address: Comparable & Hashable

  var address: Address { get }
  var next: Self? { get nonmutating set }
}

/// A linked list whose links are found by their addresses. Each address is in the list at most once.
///
/// ### States
/// - *small*: up to 16 links, in the order of their addresses. A search walks along the links. The list allocates
///   nothing.
/// - *indexed*: more than 16 links, in any order. A search asks a dictionary. `sort` puts them in order.
///
/// ### Behavior
/// Inserting n links, and then sorting them, takes O(n log n) steps. A linked list that stays in order at each
/// insertion would take O(n²) steps. In a small list a search costs only the walk along at most 16 links.
@usableFromInline
package struct AddressedList<Link: AddressedLink>: ~Copyable {
  /// The largest number of links in a small list.
  @inlinable package static var smallCount: Int { 16 }

  @usableFromInline package var first: Link?
  @usableFromInline var count = 0
  @usableFromInline var index: [Link.Address: Link]?

  @inlinable
  package init() {}

  /// The position of a link in the list, or the position at which to insert a missing link.
  @usableFromInline
  package enum Position {
    case found(Link)
    /// No link has the address. Insert a link after `predecessor`, or at the front if `predecessor` is nil.
    case missing(predecessor: Link?)
  }

  @inlinable
  @inline(__always)
  package func position(of address: Link.Address) -> Position {
    if index != nil { return indexedPosition(of: address) }
    var predecessor: Link?
    var link = first
    while let current = link, current.address < address {
      predecessor = current
      link = current.next
    }
    if let link, link.address == address { return .found(link) }
    return .missing(predecessor: predecessor)
  }

  @inlinable
  @inline(never)
  func indexedPosition(of address: Link.Address) -> Position {
    if let link = index?[address] { return .found(link) }
    return .missing(predecessor: nil)
  }

  /// Inserts a link after `predecessor`, or at the front if `predecessor` is nil. `predecessor` is the result of a call
  /// of `position(of:)` since the last insertion.
  @inlinable
  @inline(__always)
  package mutating func insert(_ link: Link, after predecessor: Link?) {
    if let predecessor {
      link.next = predecessor.next
      predecessor.next = link
    } else {
      link.next = first
      first = link
    }
    count += 1
    if count > Self.smallCount { enterIndex(link) }
  }

  @inlinable
  @inline(never)
  mutating func enterIndex(_ link: Link) {
    if index != nil {
      index?[link.address] = link
      return
    }
    var index: [Link.Address: Link] = [:]
    var rest = first
    while let link = rest {
      index[link.address] = link
      rest = link.next
    }
    self.index = index
  }

  /// Puts the links in the order of their addresses.
  package mutating func sort() {
    guard let index else { return }
    var next: Link?
    for (_, link) in index.sorted(by: { $0.key > $1.key }) {
      link.next = next
      next = link
    }
    first = next
  }

  /// Empties the list. Returns the link that was first. The former links still lead from one to the next.
  package mutating func removeAll() -> Link? {
    index = nil
    count = 0
    return first.take()
  }
}

// The list belongs to one transaction, and so to one thread at a time.
@available(*, unavailable)
extension AddressedList: Sendable {}

@available(*, unavailable)
extension AddressedList.Position: Sendable {}
