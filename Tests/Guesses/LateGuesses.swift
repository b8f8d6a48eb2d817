// Wrong lines, as in `Guesses.swift`. The compiler finds these errors only in code whose types are right, or only warns.
// Here a warning counts as an error.

// Each guess has one line, however long.
// swift-format-ignore-file

import ActorBindings

@MainActor
func waiting(for cell: BindableActor<Int>) async {
  _ = await cell.values.first { $0 > 10 }  // error: sending value of non-Sendable type '(BindingStream<CellCursor<Int>>.Element) async -> Bool' (aka '(Int) async -> Bool') risks causing data races
  _ = await cell.values.contains { $0 > 10 }  // error: sending value of non-Sendable type '(BindingStream<CellCursor<Int>>.Element) async -> Bool' (aka '(Int) async -> Bool') risks causing data races
  _ = await cell.values.first { @Sendable in $0 > 10 }
  _ = await cell.first { $0 > 10 }
}

@MainActor
func forgetting(_ cell: BindableActor<Int>) {
  cell.observe { print($0) }  // error: result of call to 'observe(backlog:isolation:fileID:line:_:onEnd:)' is unused
  _ = cell.observe { print($0) }
}
