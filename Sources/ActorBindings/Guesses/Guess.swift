// Names that other libraries have for what this one does, so that a guess gets an answer.
//
// Each declaration in this folder is unavailable: the compiler refuses the call, and its message names the right
// spelling. The type checker looks at an unavailable declaration only if no other one fits, so right code compiles as
// if this folder did not exist. For the same reason no member here has the name of a global function (`combineLatest`,
// `merge`, `zip`, `swap`): within an extension the member would hide that function, even if the member is unavailable.
//
// The documentation leaves out what is unavailable. `Tests/Guesses/Guesses.swift` has a wrong line for each declaration,
// with the message that the compiler must answer.

/// The body of the declarations here. No call of these declarations compiles.
func refused(_ name: StaticString = #function) -> Never {
  fatalError("\(name) is unavailable")
}
