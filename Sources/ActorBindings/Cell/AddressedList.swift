/// A link of an `AddressedList`: it has an address, and leads to the next link.
@usableFromInline
package protocol AddressedLink {
  associatedtype Address: Comparable & Hashable

  var address: Address { get }
  var next: Self? { get nonmutating set }
}

/// A linked list whose links are found by their addresses. Each address is in the list at most once.
///
/// ### States
/// - *small*: up to 16 links. They are in the order of their addresses, and a search walks along them. Nothing is
///   allocated.
/// - *indexed*: more links. They are in any order, and a search asks a dictionary. `sort` puts them in order.
///
/// ### Behavior
/// Finding or inserting n links, and sorting them, takes O(n log n) steps. A list that is always in order would take
/// O(n²). A small list costs only the walk.
@usableFromInline
package struct AddressedList<Link: AddressedLink>: ~Copyable {
  /// The largest number of links in a small list.
  @inlinable package static var smallCount: Int { 16 }

  @usableFromInline package var first: Link?
  @usableFromInline var count = 0
  @usableFromInline var index: [Link.Address: Link]?

  @inlinable
  package init() {}

  /// The position of a link, or the position at which to insert it.
  @usableFromInline
  package enum Position {
    case found(Link)
    /// The list has no such link. Insert it after `predecessor`, or at the front if that is nil.
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

  /// Inserts a link after `predecessor`. The caller has called `position(of:)` since the last insertion.
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

  /// Empties the list. Returns its first link, from which the others are still linked.
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
