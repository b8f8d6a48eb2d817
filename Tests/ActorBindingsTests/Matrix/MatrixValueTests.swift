import ActorBindings
import Testing

/// Tests of rows, other than those that read a row from beginning to end.
@Suite
struct MatrixValueTests {
  @Test(arguments: MatrixGroup.all)
  func `the value of a state is what was written last, whether it is read or not`(group: MatrixGroup) async {
    for row in group.rows {
      let trial = await Trial(of: row)
      guard let state = trial.source as? any StateSource<Int> else { continue }
      var number = 2
      func expectCurrent(_ situation: String) async {
        let isCurrent = await trial.shows(row.appearance(of: number), in: state)
        #expect(isCurrent, "\(row.testDescription), \(situation)")
      }
      func write() async {
        number += 1
        await trial.driver.write(number)
      }

      await expectCurrent("before it is read")
      await write()
      await expectCurrent("before it is read, after a write")
      for backlog in Backlog.tried {
        let context = ManualContext()
        let token = state.observe(on: context.delivery, backlog: backlog) { _ in }
        for _ in 0..<2 {
          await write()
          await expectCurrent("while its reader is busy, \(backlog)")
        }
        context.run()
        await expectCurrent("when its reader has seen it, \(backlog)")
        token.cancel()
      }
      await expectCurrent("no longer read")
      // Writes an even number, so that an action does not execute while it ends.
      if number % 2 == 1 { await write() }
      trial.finish()
      await expectCurrent("after the end")
      trial.end()
    }
  }

  @Test(arguments: MatrixGroup.all)
  func `settled returns when observers have received what was written`(group: MatrixGroup) async {
    for row in group.rows {
      for form in [ReadingForm.queue, .inPlace, .actor] {
        let trial = await Trial(of: row)
        let reading = await trial.begin(form, .latest)
        for number in 3...5 { await trial.driver.write(number) }
        for cell in trial.driver.cells { await cell.settled() }
        if !row.isLate {
          await trial.root.settled()
          #expect(trial.values.last == row.appearance(of: 5), "\(row.testDescription), \(form)")
        }
        await reading.cancel?()
        trial.end()
      }
    }
  }

  @Test(arguments: MatrixGroup.all)
  func `first returns the value that it looks for, and leaves`(group: MatrixGroup) async {
    // A reader that leaves out the first value may begin before its source delivers a late value.
    for row in group.rows where !(row.origin.isLate && row.dropsFirst) {
      let trial = await Trial(of: row)
      let before = trial.readerCounts
      let (wanted, found) = (row.appearance(of: 4), Box<Int>())
      let search = Task { found.value = await first(wanted, of: trial.source) }
      _ = await trial.soon { trial.root.readerCount > 0 || found.value != nil }
      for number in 3...4 {
        await trial.driver.write(number)
        // A cell that follows a state may skip a value that it has not read yet.
        for cell in trial.driver.cells { await cell.settled() }
      }
      let hasFound = await trial.soon { found.value == wanted && trial.readerCounts == before }
      #expect(hasFound, "\(row.testDescription)")
      search.cancel()
      trial.end()
    }
  }
}

/// The rows of one test case: those with one operator, or the pairs with one outer operator.
struct MatrixGroup: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let rows: [MatrixRow]

  static let all =
    [MatrixGroup(testDescription: "single operators", rows: MatrixRow.single)]
    + Derivation.allCases.enumerated().map { seed, outer in
      MatrixGroup(
        testDescription: "\(outer) behind another one",
        rows: stressed(MatrixRow.paired(by: outer), seed: seed).map(\.row)
      )
    }
}

private func first(_ wanted: Int, of source: some BindingSource<Int>) async -> Int? {
  await source.first { $0 == wanted }
}
