// The names that other libraries use for what this library does. Each name is a *guess*, which the compiler answers
// with the right name.
//
// Each declaration in this folder is unavailable: the compiler refuses the call, and its message names the right
// spelling. The type checker looks at an unavailable declaration only if no other one fits, so right code compiles as
// if this folder did not exist. No member here has the name of a global function (`combineLatest`, `merge`, `zip`,
// `swap`). Within an extension such a member would hide the global function even though the member is unavailable, and
// right code would not compile.
//
// The documentation leaves out unavailable declarations. `Tests/Guesses/Guesses.swift` has a wrong line for each
// declaration, with the message that the compiler must print.

/// Ends the process. The body of most declarations in this folder is a call of this function. No call of these
/// declarations compiles, so their bodies never run.
func refused(_ name: StaticString = #function) -> Never {
  fatalError("\(name) is unavailable")
}
