import ActorBindings
import Dispatch

/// Reports that the process should end, as long as this object is alive.
final class Signals {
  let endIsWanted = BindableActor(false)
  private let sources: [any DispatchSourceSignal]

  init() {
    sources = System.terminationSignals.map { [endIsWanted] number in
      System.ignore(number)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { endIsWanted.send(true) }
      source.activate()
      return source
    }
  }
}
