import ActorBindings
import Testing

/// A writer wakes the parked readers after the lock, one by one. Meanwhile some of these readers continue by
/// themselves.
@Suite
struct WakeUpStressTests {
  @Test
  func `G3 an update on the cell during another writer's wake-ups loses no wake-up`() async {
    let cell = BindableActor(0)
    let inTheMidst = Box<@Sendable () -> Void>()
    let context = DeliveryContext(id: "in the midst of wake-ups") { job in
      inTheMidst.value?()
      job()
    }
    // The readers park in this order, and are woken in the same order.
    let tokens = [
      cell.observe(on: context) { _ in },
      cell.observe(on: .cell) { _ in },
    ]
    await cell.parked(2)
    let early = Task { await cell.values.elements() }
    await cell.parked(3)

    let goOn = Latch()
    let lateSeen = Recorder<Int>()
    inTheMidst.value = {
      inTheMidst.value = nil
      Task.detached {
        await cell.update(2)
        Task { for await value in cell.values { lateSeen.record(value) } }
        await cell.loopsParked(1)
        goOn.open()
      }
      goOn.wait()
    }
    let hasSent = Gate()
    Station().run {
      cell.send(1)
      hasSent.open()
    }
    await hasSent.passed()
    await cell.settled()
    await cell.loopsParked(2)
    cell.send(3)
    await lateSeen.reached(2)
    await cell.loopsParked(2)
    cell.finish()
    #expect(await early.value == [0, 2, 3])
    #expect(lateSeen.elements == [2, 3])
    withExtendedLifetime(tokens) {}
  }

  @Test
  func `G3 updates on the cell, sends and loops that park at the same time lose no wake-up`() async {
    for _ in 0..<stressed(20) {
      let cell = BindableActor(0)
      let onCell = Recorder<Int>()
      let token = cell.observe(on: .cell) { onCell.record($0) }
      let loops = (0..<8).map { _ in Task { await cell.values.elements().last } }
      await concurrently(3) { task in
        for _ in 0..<300 {
          switch task {
          case 0: await cell.update { $0 += 1 }
          default: cell.modify { $0 += 1 }
          }
          await Task.yield()
        }
      }
      await cell.settled()
      #expect(onCell.last == 900)
      cell.finish()
      for loop in loops { #expect(await loop.value == 900) }
      withExtendedLifetime(token) {}
    }
  }

  @Test
  func `G3 an actor that registers while it is being woken loses no wake-up`() async {
    let cell = BindableActor(0)
    let worker = Worker()
    let loops = (0..<4).map { _ in Task { await cell.values.elements().last } }
    cell.observe(with: worker) { $0.record($1) }
    await concurrently(3) { task in
      for _ in 0..<stressed(2_000) {
        if task == 0 {
          await worker.run { worker in
            cell.observe(isolation: worker) { _ in }.cancel()
          }
        } else {
          cell.modify { $0 += 1 }
          await Task.yield()
        }
      }
    }
    await cell.settled()
    #expect(await worker.elements.last == stressed(4_000))
    cell.finish()
    for loop in loops { #expect(await loop.value == stressed(4_000)) }
  }
}
