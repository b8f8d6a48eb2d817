import Foundation

/// A fault that such libraries have: it breaks one promise by a line or two.
///
/// All of them are planted in one copy of the library, each behind a switch of its own.
struct Fault {
  let name: String
  /// The promise that it breaks.
  let promise: String
  let edits: [Edit]

  init(_ name: String, breaks promise: String, _ edits: Edit...) {
    self.name = name
    self.promise = promise
    self.edits = edits
  }
}

/// Other code in one function or computed property.
///
/// The place is found by the name of the function and by the code itself, word by word: no file, no line, no comment
/// and no layout plays a part. `…` stands for any words; in `new` it stands for those that it stood for in `old`.
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
