extension BindingDiagnostics {
  /// The function that receives the events of all cells; nil at first.
  ///
  /// ```swift
  /// BindingDiagnostics.events = BindingEventHandler { event in
  ///   logger.info("\(event)")
  /// }
  /// ```
  ///
  /// While this is nil, an event costs one load of an atomic variable.
  public static var events: BindingEventHandler? {
    get { EventHook.handler }
    set { EventHook.handler = newValue }
  }
}
