/// The writes that a killed process makes, one after another: each number has one write.
public enum WriteScript {
  /// Keys with short and long paths.
  public static let keys = ["a", "B/c", "d/" + String(repeating: "Long", count: 120), "é/ü"]

  /// The write of a number. Its bytes tell whether they are complete.
  public static func step(_ number: Int) -> (key: String, bytes: [UInt8]?) {
    let key = keys[number % keys.count]
    if number % 7 == 3 { return (key, nil) }
    let digits = Array("\(number) ".utf8)
    return (key, digits + [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: number * 37 % 9000))
  }

  /// What the entries are after the writes before a number.
  public static func entries(before number: Int) -> [String: [UInt8]] {
    var entries: [String: [UInt8]] = [:]
    for earlier in max(0, number - 8 * keys.count)..<max(0, number) {
      let (key, bytes) = step(earlier)
      entries[key] = bytes
    }
    return entries
  }
}
