import ActorBindings
import Testing

@MainActor
@Suite
struct CollectionTargetTests {
  @Test
  func `a target receives the whole collection, and then each change as a batch`() async {
    let posts = BindableArray(["a", "b", "c"])
    let table = Table()
    posts.mapElements { $0.uppercased() } ->> table
    #expect(table.log == ["reset A B C"])
    table.log = []
    posts.modify { posts in
      posts.append("d")
      posts.remove(at: 0)
      posts.update("x", at: 1)
    }
    await posts.settled()
    #expect(table.log == ["begin", "remove at 0", "insert D at 2", "update X at 1", "end"])
    table.log = []
    posts.move(from: 0, to: 2)
    await posts.settled()
    #expect(table.log == ["begin", "move from 0 to 2", "end"])
    #expect(Array(table.rows) == ["X", "D", "B"])
  }

  @Test
  func `a bond reports what was inserted, removed and changed`() async {
    let posts = BindableArray(["a", "b", "c", "d"])
    let bond = ArrayBond<String>()
    var log: [String] = []
    bond.inserted = { [unowned bond] indices in log.append("+\(indices) \(bond.elements)") }
    bond.removed = { indices, elements in log.append("-\(indices) \(elements)") }
    bond.updated = { [unowned bond] indices in log.append("=\(indices) \(bond.elements)") }
    posts ->> bond
    #expect(log == [#"+[0, 1, 2, 3] ["a", "b", "c", "d"]"#])
    log = []
    posts.modify { posts in
      posts.remove(at: 0)
      posts.insert("x", at: 1)
      posts.insert("y", at: 2)
      posts.update("z", at: 4)
    }
    await posts.settled()
    #expect(
      log == [
        #"-[0] ["a"]"#, #"+[1, 2] ["b", "x", "y", "c", "d"]"#, #"=[4] ["b", "x", "y", "c", "z"]"#,
      ]
    )
    log = []
    posts.move(from: 0, to: 4)
    await posts.settled()
    #expect(log == [#"-[0] ["b"]"#, #"+[4] ["x", "y", "c", "z", "b"]"#])
    log = []
    posts.removeAll()
    await posts.settled()
    #expect(log == [#"-[4, 3, 2, 1, 0] ["b", "z", "c", "y", "x"]"#])
  }

  @Test
  func `G9 a target is held weakly`() {
    let posts = BindableArray([1])
    var table: Table? = Table()
    weak let held = table
    if let table { posts.mapElements(String.init) ->> table }
    table = nil
    #expect(held == nil)
  }
}

@MainActor
private final class Table: @MainActor CollectionTarget {
  var rows: PersistentArray<String> = []
  var log: [String] = []

  func reset(_ elements: PersistentArray<String>) {
    rows = elements
    log.append("reset " + elements.joined(separator: " "))
  }

  func insert(_ element: String, at offset: Int) {
    rows.insert(element, at: offset)
    log.append("insert \(element) at \(offset)")
  }

  func remove(at offset: Int) {
    rows.remove(at: offset)
    log.append("remove at \(offset)")
  }

  func update(_ element: String, at offset: Int) {
    rows.update(element, at: offset)
    log.append("update \(element) at \(offset)")
  }

  func move(from source: Int, to destination: Int) {
    rows.move(from: source, to: destination)
    log.append("move from \(source) to \(destination)")
  }

  func beginUpdates() { log.append("begin") }
  func endUpdates() { log.append("end") }
}
