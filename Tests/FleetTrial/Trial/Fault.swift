/// What the trial does to the fleet at one time.
enum Fault: String, CaseIterable {
  case killClient = "kills a client"
  case freezeClient = "freezes a client"
  case killMember = "kills a member"
  case freezeMember = "freezes a member"
  case killMajority = "kills two members"
  case freezeMajority = "freezes two members"
  case killAll = "kills all members"
  case compact = "compacts the history"
  case loseAcknowledgements = "loses acknowledgements"

  /// How often the trial chooses this fault, relative to the others.
  var weight: Int {
    switch self {
    case .killClient, .freezeClient, .loseAcknowledgements: 5
    case .killMember, .freezeMember, .compact: 2
    case .killMajority, .freezeMajority: 1
    case .killAll: 1
    }
  }

  /// How long it takes, in milliseconds.
  var length: ClosedRange<Int> {
    switch self {
    case .killClient: 100...4000
    // Some are longer than a ttl.
    case .freezeClient: 200...7000
    case .killMember, .freezeMember: 200...6000
    case .killMajority, .freezeMajority, .killAll: 500...6000
    case .loseAcknowledgements: 300...3000
    case .compact: 0...0
    }
  }

  static func random(using generator: inout SeededGenerator) -> Fault {
    let all = allCases.flatMap { Array(repeating: $0, count: $0.weight) }
    return all.randomElement(using: &generator) ?? .compact
  }
}

/// The generator SplitMix64.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}
