import CounterHistory
import Testing

@Suite struct CounterHistoryTests {
  private func history(_ operations: [(began: Int, ended: Int, value: Int, isRead: Bool)]) -> CounterHistory {
    var history = CounterHistory()
    // Plays begins and ends in the order of their times.
    var begins: [Int: Int] = [:]
    for time in 0..<100 {
      for (index, operation) in operations.enumerated() {
        if operation.began == time { begins[index] = history.began() }
        guard operation.ended == time, let began = begins[index] else { continue }
        history.ended(began: began, value: operation.value, isRead: operation.isRead)
      }
    }
    return history
  }

  @Test func `operations that overlap may have any order`() {
    #expect(history([(1, 5, 2, false), (2, 6, 1, false), (3, 4, 0, true)]).isLinearizable)
    #expect(history([(1, 9, 1, false), (2, 3, 1, true), (4, 5, 1, true)]).isLinearizable)
  }

  @Test func `an old read, a lost increment and a read of the future are found`() {
    #expect(!history([(1, 2, 1, false), (3, 4, 0, true)]).isLinearizable)
    #expect(!history([(1, 9, 1, false), (2, 3, 1, true), (4, 5, 0, true)]).isLinearizable)
    #expect(!history([(1, 2, 1, false), (3, 4, 1, false)]).isLinearizable)
    #expect(!history([(1, 2, 2, false), (3, 4, 1, false)]).isLinearizable)
    #expect(!history([(1, 2, 1, true), (3, 4, 1, false)]).isLinearizable)
  }
}
