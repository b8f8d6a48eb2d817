import ActorBindings
import Testing

/// An address that counts how often it is compared.
private struct CountedAddress: Comparable, Hashable {
  let number: Int
  let steps: Counter

  static func < (left: CountedAddress, right: CountedAddress) -> Bool {
    left.steps.add()
    return left.number < right.number
  }

  static func == (left: CountedAddress, right: CountedAddress) -> Bool {
    left.steps.add()
    return left.number == right.number
  }

  func hash(into hasher: inout Hasher) {
    steps.add()
    hasher.combine(number)
  }
}

private final class Node: AddressedLink {
  let address: CountedAddress
  var next: Node?

  init(_ address: CountedAddress) {
    self.address = address
  }
}

extension AddressedList<Node> {
  fileprivate var numbers: [Int] {
    var numbers: [Int] = []
    var rest = first
    while let node = rest {
      numbers.append(node.address.number)
      rest = node.next
    }
    return numbers
  }

  /// Returns the node with the given number. Inserts a node if there is none with this number.
  fileprivate mutating func node(_ number: Int, _ steps: Counter) -> Node {
    let address = CountedAddress(number: number, steps: steps)
    switch position(of: address) {
    case .found(let node): return node
    case .missing(let predecessor):
      let node = Node(address)
      insert(node, after: predecessor)
      return node
    }
  }
}

@Suite struct AddressedListTests {
  @Test(arguments: [0, 1, 2, 15, 16, 17, 18, 100])
  func `each address is in the list once, in order after a sort`(_ count: Int) {
    var list = AddressedList<Node>()
    let steps = Counter()
    var nodes: [Int: Node] = [:]
    for number in (0..<count).shuffled() { nodes[number] = list.node(number, steps) }
    for number in (0..<count).shuffled() { #expect(list.node(number, steps) === nodes[number]) }
    list.sort()
    #expect(list.numbers == Array(0..<count))
  }

  @Test func `a small list is always in order, and is searched step by step`() {
    var list = AddressedList<Node>()
    let steps = Counter()
    for number in [5, 3, 9, 1, 7] { _ = list.node(number, steps) }
    #expect(list.numbers == [1, 3, 5, 7, 9])
    steps.set(0)
    _ = list.node(5, steps)
    // The list compares the address with two smaller addresses, with the first that is not smaller, and once for
    // equality. The list does not hash the address.
    #expect(steps.value == 4)
  }

  @Test func `a list can be filled again after it was emptied`() {
    var list = AddressedList<Node>()
    let steps = Counter()
    for count in [40, 3, 40] {
      for number in (0..<count).reversed() { _ = list.node(number, steps) }
      list.sort()
      #expect(list.numbers == Array(0..<count))
      var rest = list.removeAll()
      while let node = rest { rest = node.next.take() }
      #expect(list.numbers.isEmpty)
    }
  }

  @Test func `a list is small up to its limit, also after it was emptied`() {
    var list = AddressedList<Node>()
    let steps = Counter()
    for _ in 1...2 {
      // The small list still finds the position of the link that makes it an indexed list.
      for number in 0...AddressedList<Node>.smallCount { _ = list.node(number, steps) }
      #expect(list.numbers == Array(0...AddressedList<Node>.smallCount))
      var rest = list.removeAll()
      while let node = rest { rest = node.next.take() }
    }
  }

  @Test func `n insertions, searches and a sort take about n log n steps`() {
    let (few, many) = (steps(1_000), steps(4_000))
    // For four times as many addresses, a list that is always in order would take sixteen times as many steps.
    #expect(many < 6 * few, "\(few) steps for 1,000 and \(many) for 4,000")
    #expect(many < 4_000 * 40)
  }

  private func steps(_ count: Int) -> Int {
    var list = AddressedList<Node>()
    let steps = Counter()
    // Inserts the addresses in runs of descending order. Ascending order is the worst case of a search, and the usual
    // case is in between.
    for number in 0..<count { _ = list.node(number * 7919 % count, steps) }
    for number in 0..<count { _ = list.node(number, steps) }
    list.sort()
    var rest = list.removeAll()
    while let node = rest { rest = node.next.take() }
    return steps.value
  }
}
