/// Receives the inner sources from the reader of an outer source.
@usableFromInline
final class OuterRecipient<Outer: BindingCursor>: RelayRecipient where Outer.Element: BindingSource {
  @usableFromInline let switcher: Switcher<Outer>

  @inlinable
  init(_ switcher: Switcher<Outer>) {
    self.switcher = switcher
  }

  @inlinable
  func take(_ source: OrderedElement<Outer.Element>) -> RelayDemand {
    switcher.outerDelivered(source)
    return .next
  }

  @inlinable
  func caughtUp() -> RelayDemand { switcher.outerCaughtUp() }

  @inlinable
  func sourceEnded() -> Bool {
    switcher.outerEnded()
    return true
  }

  @inlinable
  func turnEnds(after version: UInt64) -> UInt64? { switcher.outerTurnEnds(after: version) }
}

/// Receives the values of one inner source from its reader. Holds that source while it is the newest, and also the
/// actors whose cells the source reads.
@usableFromInline
final class InnerRecipient<Outer: BindingCursor>: RelayRecipient where Outer.Element: BindingSource {
  @usableFromInline let switcher: Switcher<Outer>
  @usableFromInline let source: Outer.Element
  @usableFromInline let hosts: LivingHosts

  @inlinable
  init(_ source: Outer.Element, _ hosts: LivingHosts, _ switcher: Switcher<Outer>) {
    self.source = source
    self.hosts = hosts
    self.switcher = switcher
  }

  @inlinable
  func take(_ value: OrderedElement<Outer.Element.Value>) -> RelayDemand { switcher.innerDelivered(value) }

  @inlinable
  func caughtUp() -> RelayDemand { switcher.innerCaughtUp() }

  @inlinable
  func sourceEnded() -> Bool { switcher.innerEnded() }

  @inlinable
  func turnEnds(after version: UInt64) -> UInt64? { switcher.innerTurnEnds(after: version) }
}
