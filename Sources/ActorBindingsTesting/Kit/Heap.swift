/// A binary heap: the lowest element comes first.
struct Heap<Element: Comparable & Sendable>: Sendable {
  // The children of the element at index i are at 2 i + 1 and 2 i + 2, and are not lower than it.
  private var elements: [Element] = []

  var count: Int { elements.count }

  var first: Element? { elements.first }

  mutating func insert(_ element: Element) {
    elements.append(element)
    var index = elements.count - 1
    while index > 0, elements[index] < elements[(index - 1) / 2] {
      elements.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  mutating func removeFirst() {
    elements.swapAt(0, elements.count - 1)
    elements.removeLast()
    moveDown(from: 0)
  }

  mutating func removeAll(where condition: (Element) -> Bool) {
    elements.removeAll(where: condition)
    // A sorted array is a heap.
    elements.sort()
  }

  private mutating func moveDown(from start: Int) {
    var index = start
    while let child = lowestChild(of: index), elements[child] < elements[index] {
      elements.swapAt(index, child)
      index = child
    }
  }

  private func lowestChild(of index: Int) -> Int? {
    let (left, right) = (2 * index + 1, 2 * index + 2)
    if right < elements.count { return elements[right] < elements[left] ? right : left }
    return left < elements.count ? left : nil
  }
}
