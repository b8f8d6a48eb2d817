package import ActorBindings
import Dispatch

/// An object that, while it is alive, reports that the process should end.
package final class Signals {
  package let endIsWanted = BindableActor(false)
  private let sources: [any DispatchSourceSignal]

  package init() {
    sources = System.terminationSignals.map { [endIsWanted] number in
      System.ignore(number)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { endIsWanted.send(true) }
      source.activate()
      return source
    }
  }
}
