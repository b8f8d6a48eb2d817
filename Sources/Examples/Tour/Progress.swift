import ActorBindings
import Foundation

/// Whether the output goes to a terminal. Otherwise the output is plain text.
private let isTerminal = isatty(STDOUT_FILENO) == 1

/// Whether words have colours: only in a terminal, and not if the user has set `NO_COLOR`.
private let hasColors = isTerminal && (ProcessInfo.processInfo.environment["NO_COLOR"] ?? "").isEmpty

/// Returns a word in green, where words have colours.
func green(_ word: String) -> String { colored(word, 32) }

/// Returns a word in red, where words have colours.
func red(_ word: String) -> String { colored(word, 31) }

private func colored(_ word: String, _ code: Int) -> String {
  hasColors ? "\u{1B}[\(code)m\(word)\u{1B}[0m" : word
}

private let eraseLine = "\r\u{1B}[2K"

/// Draws the progress of the writers, until the cell ends.
///
/// This function is a reader like any other: while it sleeps it is busy, and then it receives the newest value.
@MainActor
func showProgress(of settings: BindableActor<Settings>, to total: Int) async {
  guard isTerminal else { return }
  for await settings in settings.values {
    let width = 40
    let done = min(width, settings.revision * width / total)
    let bar = String(repeating: "█", count: done) + String(repeating: "░", count: width - done)
    write("\(eraseLine)\(bar) \(grouped(settings.revision)), the last by writer \(settings.lastWriter)")
    try? await Task.sleep(for: .milliseconds(30))
  }
  write(eraseLine)
}

/// Prints a separate line above the progress.
@MainActor
func say(_ line: String) {
  write(isTerminal ? "\(eraseLine)\(line)\n" : "\(line)\n")
}

private func write(_ text: String) {
  FileHandle.standardOutput.write(Data(text.utf8))
}
