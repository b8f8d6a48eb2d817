import ActorBindings
import Testing

@Suite
struct BitSetTests {
  @Test(arguments: [1, 2, 63, 64, 65, 4_096, 4_097, 300_000])
  func `a bit set finds the next member as a sorted array does`(count: Int) {
    var (bits, members) = (BitSet(count: count), Set<Int>())
    var generator = Numbers(seed: UInt64(count))
    for _ in 0..<400 {
      let number = Int.random(in: 0..<count, using: &generator)
      if Bool.random(using: &generator) {
        bits.insert(number)
        members.insert(number)
      } else {
        bits.remove(number)
        members.remove(number)
      }
      #expect(bits.contains(number) == members.contains(number))
      let start = Int.random(in: 0...count, using: &generator)
      #expect(bits.first(from: start) == members.filter { $0 >= start }.min())
    }
  }
}
