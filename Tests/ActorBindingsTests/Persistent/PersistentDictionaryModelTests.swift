import ActorBindings
import Testing

/// Copies and edits persistent dictionaries at random, and compares them with Swift's `Dictionary`.
@Suite
struct PersistentDictionaryModelTests {
  @Test(arguments: Clumsiness.allCases)
  func `copies, and the differences of any two, are what the models predict`(clumsiness: Clumsiness) {
    let census = Census()
    for seed in 0..<20 {
      var copies = Copies(clumsiness, Numbers(seed: UInt64(seed)), census)
      for _ in 0..<500 { copies.step() }
      copies.check()
    }
    #expect(census.alive == 0)
    #expect(census.total > 0)
  }
}

/// Copies of some dictionaries, and their expected contents.
private struct Copies {
  typealias Subject = PersistentDictionary<Clumsy, Written>
  typealias Model = [Clumsy: Written]

  private let clumsiness: Clumsiness
  private let census: Census
  private var numbers: Numbers
  private var serial = 0
  private var subjects = [Subject()]
  private var models = [Model()]

  init(_ clumsiness: Clumsiness, _ numbers: Numbers, _ census: Census) {
    self.clumsiness = clumsiness
    self.numbers = numbers
    self.census = census
  }

  private mutating func random(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &numbers) }

  private mutating func written() -> Written {
    serial += 1
    return Written(number: random(3), serial: serial, citizen: census.citizen())
  }

  mutating func step() {
    let index = random(subjects.count)
    switch random(20) {
    case 0..<4: copy(index)
    case 4..<6: compare(index, random(subjects.count))
    default:
      for _ in 0..<random(8) { edit(index) }
      subjects[index].checkInvariants()
    }
  }

  /// Takes a copy, or releases a copy.
  private mutating func copy(_ index: Int) {
    if subjects.count < 8 {
      subjects.append(subjects[index])
      models.append(models[index])
    } else {
      subjects.remove(at: index)
      models.remove(at: index)
    }
  }

  private mutating func edit(_ index: Int) {
    let key = clumsiness.key(random(40))
    let new = written()
    switch random(18) {
    case 0..<3:
      subjects[index][key] = new
      models[index][key] = new
    case 3..<6:
      let old = models[index].updateValue(new, forKey: key)
      #expect(subjects[index].updateValue(new, forKey: key)?.serial == old?.serial)
    case 6..<9:
      let old = models[index].removeValue(forKey: key)
      #expect(subjects[index].removeValue(forKey: key)?.serial == old?.serial)
    case 9:
      subjects[index][key] = nil
      models[index][key] = nil
    case 10..<12:
      let default_ = written()
      modify(&subjects[index][key, default: default_], new)
      models[index][key] = new
    case 12..<14:
      if subjects[index][key] != nil { models[index][key] = new }
      if subjects[index][key] != nil { modify(&subjects[index][key]!, new) }
    case 14: exchange(&subjects[index][key], &models[index][key], nil)
    case 15: exchange(&subjects[index][key], &models[index][key], new)
    case 16: replace(index)
    default: if random(10) == 0 { clear(index) }
    }
  }

  private func modify(_ value: inout Written, _ new: Written) { value = new }

  /// Replaces a value in the subject and in the model. Before this, both must hold the same value.
  private func exchange(_ subject: inout Written?, _ model: inout Written?, _ new: Written?) {
    #expect(subject?.serial == model?.serial)
    subject = new
    model = new
  }

  private mutating func clear(_ index: Int) {
    subjects[index].removeAll()
    models[index].removeAll()
  }

  /// Replaces a whole dictionary by another, with mostly equal values.
  private mutating func replace(_ index: Int) {
    var whole: Model = [:]
    for (key, value) in models[index] where random(5) > 0 {
      serial += 1
      whole[key] = Written(number: value.number, serial: serial, citizen: census.citizen())
    }
    for _ in 0..<random(3) { whole[clumsiness.key(random(40))] = written() }
    subjects[index].replaceAll(with: whole)
    for (key, value) in whole where models[index][key] == value { whole[key] = models[index][key] }
    models[index] = whole
  }

  private mutating func compare(_ old: Int, _ new: Int) {
    let edits = subjects[new].edits(from: subjects[old])
    #expect(serials(edits) == expected(from: models[old], to: models[new]))
    #expect(Set(edits.map(\.key)).count == edits.count)

    let applied = subjects[old].applying(edits)
    applied.checkInvariants()
    #expect(serials(applied) == models[new].mapValues(\.serial))

    let limit = random(edits.count + 3)
    let limited = subjects[new].edits(from: subjects[old], limit: limit)
    #expect(limited.map(serials) == (edits.count <= limit ? serials(edits) : nil))
    #expect((subjects[old] == subjects[new]) == (models[old] == models[new]))
  }

  /// Returns the serial numbers of each key's values before and after the edits.
  private func serials(_ edits: [DictionaryEdit<Clumsy, Written>]) -> [Clumsy: [Int?]] {
    edits.reduce(into: [:]) { $0[$1.key] = [$1.oldValue?.serial, $1.newValue?.serial] }
  }

  private func serials(_ dictionary: Subject) -> [Clumsy: Int] {
    dictionary.reduce(into: [:]) { $0[$1.key] = $1.value.serial }
  }

  private func expected(from old: Model, to new: Model) -> [Clumsy: [Int?]] {
    var expected: [Clumsy: [Int?]] = [:]
    for key in Set(old.keys).union(new.keys) where old[key]?.serial != new[key]?.serial {
      expected[key] = [old[key]?.serial, new[key]?.serial]
    }
    return expected
  }

  /// Checks all copies, and the edits between all pairs of copies.
  mutating func check() {
    for index in subjects.indices {
      let (subject, model) = (subjects[index], models[index])
      subject.checkInvariants()
      #expect(subject.count == model.count)
      #expect(subject.isEmpty == model.isEmpty)
      #expect(serials(subject) == model.mapValues(\.serial))
      for number in 0..<40 {
        let key = clumsiness.key(number)
        #expect(subject[key]?.serial == model[key]?.serial)
        #expect(subject.keys.contains(key) == (model[key] != nil))
      }
      for other in subjects.indices { compare(index, other) }
    }
  }
}
