import ActorBindings

/// Uses the library from several threads at once. Under the thread sanitizer a run reports nothing.
///
/// With the argument `--race`, the program only makes data races, which the sanitizer reports.
@main
struct Client {
  static func main() async {
    if CommandLine.arguments.contains("--race") {
      await race()
    } else {
      for (name, use) in uses {
        print(name)
        await use()
      }
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
