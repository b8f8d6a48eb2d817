import Reporting

/// The options of the command line.
struct Options {
  var rows = Row.all
  var effort = Effort.full
  var lists = false
  var helps = false

  static let usage = """
    Measures shared cells over the stores of this package, each row beside its aim.

    usage: sharing-benchmarks [ROW…] [options]

      ROW…     only these rows; without names, all rows
      --quick  shorter samples, and fewer: a look, not a measurement
      --list   the rows, and nothing else
      --help   this

    The members of etcd that rows need are started on free ports of 127.0.0.1, with their data in the folder for
    temporary files, and ended afterwards. Set TMPDIR to measure on another disk. Without etcd, these rows are skipped.
    The status is 1 if a result is wrong, and 2 if what is asked for cannot be done.
    """

  init(_ words: some Sequence<String>) throws(Refusal) {
    var names: [String] = []
    for word in words {
      switch word {
      case "--quick": effort = .quick
      case "--list": lists = true
      case "--help", "-h": helps = true
      case _ where word.hasPrefix("-"): throw Refusal(message: "there is no option '\(word)'")
      default: names.append(word)
      }
    }
    if !names.isEmpty { rows = try select(names, among: Row.all, \.id, "row") }
  }
}
