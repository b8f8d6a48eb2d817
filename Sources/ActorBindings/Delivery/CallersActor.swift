/// The actor that the caller runs on, as the type of a parameter.
///
/// Code that runs on no actor cannot call a method with such a parameter. The compiler's error then quotes the name of
/// the type. So the name says what to do instead: pass a context, as in `observe(on: .queue(queue)) { … }`.
@_documentation(visibility: internal)
public typealias `actor of the caller; elsewhere pass on:` = any Actor
