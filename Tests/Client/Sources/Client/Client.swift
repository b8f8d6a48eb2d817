import ActorBindings

/// Uses the library from several threads at once. Under the thread sanitizer a run reports nothing.
///
/// With the argument `--race` it ends with a data race of its own, which the sanitizer reports.
@main
struct Client {
  static func main() async {
    for (name, use) in uses {
      print(name)
      await use()
    }
    if CommandLine.arguments.contains("--race") {
      print("race")
      await race()
    }
    print("done")
  }

  private static let uses: [(String, @Sendable () async -> Void)] = [
    ("cells", useCells),
    ("persistent collections", usePersistentCollections),
    ("observers", useObservers),
    ("owners", useOwners),
    ("bindings", useBindings),
    ("streams", useStreams),
    ("first", useFirst),
    ("keys", useKeys),
    ("lists", useLists),
    ("combinations", useCombinations),
    ("transactions", useTransactions),
    ("time", useTime),
    ("loading", useLoading),
    ("actions", useActions),
  ]
}
