/// What the page says about a panel: the three lines of this program that make it, and what they do.
package struct Caption: Sendable {
  /// The path of the file in this folder, `Sources/Examples/LiveBoard`.
  package let file: String
  /// Three lines of the file. A test compares them with the file.
  package let code: String
  let text: String

  package var html: String {
    """
    <figure><figcaption>\(text) <a class="file" href="\(LinkedFiles.path(of: file))">\(file)</a></figcaption>
    <pre>\(code.escaped)</pre></figure>
    """
  }
}

extension Caption {
  package static let all = [strip, loop, prices, jobs, exchange]

  static let strip = Caption(
    file: "Board/Vitals.swift",
    code: """
      services.minute.modify { minute in
        if minute.count >= 60 { minute.remove(at: 0) }
        minute.append(vitals)
      """,
    text: "One cell holds the last minute. A new client receives all of it, and then one change each second."
  )

  static let loop = Caption(
    file: "Board/Binder.swift",
    code: """
      for await event in updates {
        let bytes = event.value.bytes(as: event.version, skipped: pause == nil ? nil : event.skipped)
        guard await client.send(bytes) else { break }
      """,
    text:
      "Each client is one loop. While a slow client takes its bytes, nothing is stored for it: the next value is "
      + "the newest."
  )

  static let prices = Caption(
    file: "Board/Feed.swift",
    code: """
      ticker = BindableActor(
        of: services.prices.cell.throttle(for: pace).map { Ticks(quotes: quotes(of: $0), published: .now) }
      ).named("ticker")
      """,
    text:
      "The service writes up to 100,000 prices a second. All clients share one throttle of the prices, which passes on four "
      + "times a second."
  )

  static let jobs = Caption(
    file: "Services/Jobs.swift",
    code: """
      cell.modify { jobs in
        for index in 0..<min(2, jobs.count) { jobs[index].progress = min(100, jobs[index].progress + effort) }
        jobs.removeAll { $0.progress == 100 }
      """,
    text:
      "The service changes an array in place. Each client receives the whole array once, and then only edits."
  )

  static let exchange = Caption(
    file: "Services/Health.swift",
    code: """
      cell = LoadingCell(retry: retry) {
        Reply(milliseconds: try await ask())
      }
      """,
    text: "The cell asks, tries again after a failure, and keeps the last answer meanwhile."
  )
}

extension String {
  /// This text as the content of an element.
  package var escaped: String {
    replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
  }
}
