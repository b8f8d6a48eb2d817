import ActorBindings
import Foundation

/// Prints a page that runs the JavaScript of the article *Over a connection*, and the messages for it.
///
///     ChangeWriter Sources/ActorBindings/ActorBindings.docc/OverAConnection.md 1 >page.html
///
/// The number seeds the edits. The page has a stand-in for the connection; `Tests/Pages/OverAConnection.js` sends it the
/// messages, and compares the rows that the article's code shows with the rows of the cell.
@main
struct ChangeWriter {
  static func main() async throws {
    let (article, seed) = (CommandLine.arguments[1], UInt64(CommandLine.arguments[2])!)
    let text = try String(contentsOfFile: article, encoding: .utf8)
    let blocks = text.split(separator: "```js\n").dropFirst().map { $0.split(separator: "```")[0] }
    guard blocks.count == 1 else { fatalError("\(article) has \(blocks.count) blocks of JavaScript") }
    var random = SeededNumbers(state: seed)
    let script = try await messages(&random)
    let json = String(decoding: try JSONEncoder().encode(script), as: UTF8.self)
    print(
      """
      <!doctype html>
      <meta charset="utf-8">
      <link rel="icon" href="data:,">
      <script>
      const sockets = []
      let shown = '[]'
      class WebSocket { constructor(url) { this.url = url; sockets.push(this) } }
      function show(rows) { shown = JSON.stringify(rows) }
      </script>
      <script>
      \(blocks[0])
      </script>
      <script id="messages" type="application/json">\(json)</script>
      """
    )
  }

  /// A message of the server, and what the page must show after it.
  private struct Message: Encodable {
    /// The end of the address to which the page must connect before this message; nil if it is connected.
    var address: String?
    let message: String
    let rows: [String]
  }

  // Returns the messages of two runs of a server. Between them, and within them, the page loses its connection.
  private static func messages(_ random: inout SeededNumbers) async throws -> [Message] {
    var (messages, known, shown): ([Message], (run: String, version: UInt64)?, [String]) = ([], nil, [])
    for run in ["first", "second"] {
      let board = BindableArray(["bread"], history: 20)
      for _ in 0..<20 {
        let address = known.map { "?run=\($0.run)&version=\($0.version)" }
        messages.append(Message(address: address ?? "board", message: #"{"run": "\#(run)"}"#, rows: shown))
        let version = known?.run == run ? known?.version : nil
        if version == nil {
          // The connection drops before the first change of this run: the page must not send its old version again.
          messages.append(Message(address: "board", message: #"{"run": "\#(run)"}"#, rows: shown))
        }
        var changes = board.changes(since: version, backlog: .unbounded).makeAsyncIterator()
        for step in 0..<10 {
          // A client that has missed nothing, or whose version is known, gets its first change at once too.
          if step > 0 { edit(board, &random) }
          guard let change = await changes.next() else { fatalError("the board has ended") }
          shown = Array(change.value)
          let message = String(decoding: try JSONEncoder().encode(change), as: UTF8.self)
          messages.append(Message(message: message, rows: shown))
          known = (run, change.version)
        }
        // What the page misses: sometimes more than the cell's history has.
        for _ in 0..<random.next(below: 30) { edit(board, &random) }
      }
    }
    return messages
  }

  // Edits a board in up to five steps, as one update.
  private static func edit(_ board: BindableArray<String>, _ random: inout SeededNumbers) {
    var rows = board.value
    for _ in 0...random.next(below: 5) {
      let (count, word) = (rows.count, "\(random.next(below: 1000)) \"é\" \\ </script>")
      switch random.next(below: 8) {
      case 0 where count > 0: rows.remove(at: random.next(below: count))
      case 1 where count > 0: rows[random.next(below: count)] = word
      case 2 where count > 0: rows.move(from: random.next(below: count), to: random.next(below: count))
      case 3 where count > 40: rows.removeAll()
      case 4 where count > 0: rows.sort()
      default: rows.insert(word, at: random.next(below: count + 1))
      }
    }
    board.send(rows)
  }
}

/// Pseudo-random numbers that a seed decides.
private struct SeededNumbers {
  var state: UInt64

  /// Returns a number from zero up to `limit`, without `limit`.
  mutating func next(below limit: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int(state >> 33) % limit
  }
}
