import ActorBindings
import Testing

@Suite
struct ConstantSourceTests {
  @Test
  func `a reader of a constant receives the value, and ends`() async {
    let constant: AnyStateSource<Int> = .constant(3)
    #expect(constant.value == 3)
    #expect(await constant.values.elements() == [3])
    let (seen, context) = (Recorder<Int>(), ManualContext())
    let source: AnyBindingSource<Int> = .constant(4)
    let token = source.observe(on: context.delivery) { seen.record($0) }
    context.run()
    #expect(seen.elements == [4])
    #expect(!token.isCancelled)
    #expect(source.cursor.root.cell.readerCount == 0)
  }

  @Test(arguments: [Backlog.latest, .unbounded])
  func `a reader of the empty source ends without a value`(backlog: Backlog) async {
    #expect(await AnyBindingSource<Int>.empty.values(backlog: backlog).elements() == [])
    #expect(await AnyBindingSource<Int?>.empty.first() == nil)
  }

  @Test
  func `a reader of the source that never ends waits until it is cancelled`() async {
    let never: AnyBindingSource<Int> = .never
    let loop = Task { await never.values.elements() }
    await eventually { never.cursor.root.cell.locked { !$0.idle.members.isEmpty } }
    loop.cancel()
    #expect(await loop.value == [])
    #expect(never.cursor.root.cell.readerCount == 0)
  }

  @Test
  func `a combination with a constant ends with its other source`() async {
    let cell = BindableActor(1)
    let sums = combineLatest(AnyStateSource.constant(10), cell).map { $0 + $1 }
    #expect(sums.value == 11)
    let values = sums.values(backlog: .unbounded)
    cell.send(2)
    cell.finish()
    #expect(await values.elements() == [11, 12])
  }

  @Test
  func `a switch to a constant continues with its outer source, and ends with it`() async {
    let profile = BindableActor("Ada")
    let isSignedIn = BindableActor(false)
    let name = isSignedIn.flatMapLatest { isSignedIn -> AnyStateSource<String?> in
      isSignedIn ? profile.map(Optional.some).erased() : .constant(nil)
    }
    var iterator = name.values(backlog: .unbounded).makeAsyncIterator()
    #expect(await iterator.next() == .some(nil))
    isSignedIn.send(true)
    #expect(await iterator.next() == "Ada")
    profile.send("Grace")
    #expect(await iterator.next() == "Grace")
    isSignedIn.send(false)
    #expect(await iterator.next() == .some(nil))
    isSignedIn.finish()
    #expect(await iterator.next() == nil)
    #expect(profile.observerCount == 0)
  }

  @Test
  func `the compiler infers a constant beside an erased source`() async {
    let text = BindableActor("a")
    let choice = BindableActor<Int?>(nil)
    let result = choice.flatMapLatest { $0 == nil ? .constant(nil) : text.map(Optional.some).erased() }
    #expect(await result.first() == .some(nil))
  }
}
