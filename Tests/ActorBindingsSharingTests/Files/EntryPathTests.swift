import ActorBindingsSharing
import Testing

@Suite struct EntryPathTests {
  static let keys = [
    "a", "A", "flags", "config/flags", "config/Flags", "..", "../../etc/passwd", ".", "./a", ".hidden", "a.b",
    "/a", "a//b",
    "%", "%2f", "a+", "+", "a b\n\t", "é", "e\u{301}", "日本", "\u{1F600}", "a\0b", "next", "~", "con", "a:b",
    "a\\b",
    String(repeating: "x", count: 200), String(repeating: "x", count: 201),
    String(repeating: "X", count: 1024),
    String(repeating: "é", count: 512), String(repeating: ".", count: 1024),
    String(repeating: "a/", count: 511) + "a",
  ]

  @Test(arguments: keys)
  func `the path of a key leads back to the key`(_ key: String) throws {
    let path = EntryPath(key: key)
    #expect(Array(path.key.utf8) == Array(key.utf8))
    #expect(try #require(EntryPath(text: path.text)) == path)
  }

  @Test(arguments: keys)
  func `no path leaves the folder or has a name that is too long`(_ key: String) {
    for part in EntryPath(key: key).text.split(separator: "/", omittingEmptySubsequences: false) {
      #expect(!part.isEmpty && part.utf8.count <= EntryPath.bytesPerPart + 1)
      #expect(part.first != ".")
      let allowed = part.utf8.allSatisfy { "abcdefghijklmnopqrstuvwxyz0123456789-_.%+".utf8.contains($0) }
      #expect(allowed, "\(part)")
    }
  }

  @Test func `different keys have different paths, also without regard to case`() {
    let paths = Self.keys.map { EntryPath(key: $0).text.lowercased() }
    #expect(Set(paths).count == Self.keys.count)
  }

  @Test func `no path is both a file and the folder of another`() {
    let long = EntryPath(key: String(repeating: "x", count: 201)).text
    #expect(long == String(repeating: "x", count: 200) + "+/x")
    #expect(EntryPath(key: String(repeating: "x", count: 200)).text == String(repeating: "x", count: 200))
  }

  @Test(arguments: ["", "A", "%2", "%2F", "%zz", "%61", "a+", "a+b", "a/b", "a+/b", ".a", "%ff", "a~"])
  func `a name that no key has is no path`(_ text: String) {
    #expect(EntryPath(text: text) == nil)
  }

  @Test func `random keys lead back`() throws {
    var random = SeededGenerator(seed: 7)
    for _ in 0..<300 {
      let scalars = (0..<Int.random(in: 1...300, using: &random)).map { _ in
        Unicode.Scalar(UInt32.random(in: 1...0x2FF, using: &random)) ?? "a"
      }
      let key = String(String.UnicodeScalarView(scalars))
      let path = try #require(EntryPath(text: EntryPath(key: key).text))
      #expect(Array(path.key.utf8) == Array(key.utf8))
    }
  }
}

/// A generator whose numbers follow from the seed.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
