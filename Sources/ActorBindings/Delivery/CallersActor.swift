/// The actor that the caller runs on, as the type of a parameter.
///
/// Code that runs on no actor cannot call a method with such a parameter. The compiler quotes the name of the type in its
/// error there, so the name says what to do: to pass a context, as in `observe(on: .queue(queue)) { … }`.
@_documentation(visibility: internal)
public typealias `actor of the caller; elsewhere pass on:` = any Actor
