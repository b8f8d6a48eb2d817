import Foundation

/// A realistic bug: one or two changed lines that break one promise.
///
/// All faults are planted in one copy of the library, each behind a switch.
struct Fault {
  let name: String
  /// The promise that the bug breaks.
  let promise: String
  let edits: [Edit]

  init(_ name: String, breaks promise: String, _ edits: Edit...) {
    self.name = name
    self.promise = promise
    self.edits = edits
  }
}

/// A replacement of code in one function or computed property.
///
/// The place is found by the name of the function and by its tokens: files, lines, comments and layout do not matter. `…`
/// matches any tokens; in `new` it repeats what it matched in `old`.
struct Edit {
  let function: String
  let old: String
  let new: String

  init(in function: String, replace old: String, by new: String) {
    self.function = function
    self.old = old
    self.new = new
  }
}
