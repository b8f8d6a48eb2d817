/// The options of the command line.
struct Arguments {
  var filters: [String] = []
  var isQuick = false
  var isWithoutBaselines = false
  var lists = false
  var helps = false
  var json: String?
  var markdown: String?
  var charts: String?
  var gate: String?
  /// The rows to compare, or nil. Without names and without `isAll`, the rows are listed.
  var compared: [String]?
  /// The curves to measure, or nil.
  var curves: [String]?
  var isAll = false

  static let usage = """
    Measures ActorBindings beside what a Swift toolchain has, interleaved, in one run.

    usage: swift run -c release --package-path Benchmarks benchmarks [options]

      --filter TEXT    only what has TEXT in its name (see --list); may be given more than once
      --quick          fewer repetitions and operations: a look, not a measurement
      --ours           leaves the baselines out: for a profiler
      --list           the names of all that is measured and counted, and nothing else
      --json FILE      writes the figures, every sample
      --markdown FILE  writes the table that the documentation shows
      --chart DIR      writes a bar chart (SVG) for each family of workloads
      --gate FILE      counts, and what one of many costs at n and at 4 n; fails if a limit in FILE, or a ratio of
                       3.25, is exceeded
      --compare ROW…   rows of the comparison, ours beside the floor by hand and the toolchain's best; --all measures
                       all rows; without rows, lists them
      --curves NAME…   how the cost of an operation changes with the number of readers, writers, keys and others;
                       --all measures all curves; without names, lists them
      --help           this

    Without options everything is measured and counted. The options need the word 'benchmarks' before them.
    The status is 1 if a limit is exceeded or a result is wrong, and 2 if what is asked for cannot be done.
    """

  struct Wrong: Error {
    let message: String
  }

  init(_ words: some Sequence<String>) throws(Wrong) {
    var rest = Array(words)[...]
    while let word = rest.popFirst() {
      func value(_ what: String) throws(Wrong) -> String {
        guard let value = rest.popFirst(), !value.hasPrefix("--"), !value.isEmpty else {
          throw Wrong(message: "\(word) needs \(what)")
        }
        return value
      }
      func names() -> [String] {
        var names: [String] = []
        while let name = rest.first, !name.hasPrefix("--") {
          names.append(name)
          rest.removeFirst()
        }
        return names
      }
      switch word {
      case "--filter": filters.append(try value("a text"))
      case "--quick": isQuick = true
      case "--ours": isWithoutBaselines = true
      case "--list": lists = true
      case "--help", "-h": helps = true
      case "--json": json = try value("a file")
      case "--markdown": markdown = try value("a file")
      case "--chart": charts = try value("a directory")
      case "--compare": compared = names()
      case "--curves": curves = names()
      case "--all": isAll = true
      case "--gate": gate = try value("a file of limits")
      default: throw Wrong(message: "there is no option '\(word)'")
      }
    }
    if compared != nil, curves != nil {
      throw Wrong(message: "--compare and --curves are two measurements: choose one")
    }
    if isAll, compared == nil, curves == nil {
      throw Wrong(message: "--all belongs to --compare or --curves")
    }
    if compared != nil || curves != nil {
      if gate != nil || markdown != nil || json != nil || !filters.isEmpty || isWithoutBaselines || lists {
        let others = compared == nil ? "--all, --quick and --chart" : "--all and --quick"
        throw Wrong(message: "\(compared == nil ? "--curves" : "--compare") goes only with \(others)")
      }
      if compared != nil, charts != nil { throw Wrong(message: "--compare draws no chart") }
    }
    if gate != nil, charts != nil || markdown != nil {
      throw Wrong(message: "--gate prints no table of times, so there is nothing for --chart or --markdown")
    }
  }

  /// Whether the filters select something with this name and title.
  func select(_ id: String, _ title: String) -> Bool {
    filters.isEmpty || filters.contains { Self.has($0, id, title) }
  }

  /// Returns the filters that select none of these names.
  func idleFilters(among names: [(id: String, title: String)]) -> [String] {
    filters.filter { filter in !names.contains { Self.has(filter, $0.id, $0.title) } }
  }

  private static func has(_ filter: String, _ id: String, _ title: String) -> Bool {
    "\(id) \(title)".lowercased().contains(filter.lowercased())
  }
}
