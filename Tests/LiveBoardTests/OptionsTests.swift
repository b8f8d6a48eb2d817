import LiveBoard
import Testing

@Suite("The command line")
struct OptionsTests {
  private static func parsed(_ line: String) -> Result<Options, Options.Problem> {
    Options.parsed(line.split(separator: " ").map(String.init))
  }

  @Test("has defaults")
  func defaults() throws {
    let options = try Self.parsed("").get()
    #expect(options == Options() && options.port == 8080 && options.mode == .serve)
  }

  @Test("takes a number behind a space or an equals sign", arguments: ["--port 80", "--port=80"])
  func port(_ line: String) throws {
    #expect(try Self.parsed(line).get().port == 80)
  }

  @Test("records loops only if it is asked to")
  func records() throws {
    #expect(try !Self.parsed("--port 80").get().records)
    let options = try Self.parsed("--record --port 80").get()
    #expect(options.records && options.port == 80 && options.mode == .serve)
  }

  @Test(
    "chooses what the program does",
    arguments: [
      ("-h", .help), ("--port 80 --help --nonsense", .help), ("--load 9 --seconds=3", .load(clients: 9)),
      ("--churn=2 --clients 5", .churn(cycles: 2)),
    ] as [(String, Options.Mode)]
  )
  func modes(_ line: String, _ mode: Options.Mode) throws {
    #expect(try Self.parsed(line).get().mode == mode)
  }

  @Test(
    "says what is wrong",
    arguments: [
      ("--prot 80", "there is no option '--prot'"), ("serve", "there is no option 'serve'"),
      ("8080=1", "there is no option '8080=1'"), ("--port", "--port needs a number"),
      ("--port= --load 1", "--port needs a number"),
      ("--port -1", "--port needs a number of 0 or more, not '-1'"),
      ("--load many", "--load needs a number of 0 or more, not 'many'"),
      ("--port 65536", "65536 is no port: 0 to 65535"),
      ("--load 1 --churn 1", "only one of --load and --churn is possible"),
    ]
  )
  func problems(_ line: String, _ message: String) {
    #expect(Self.parsed(line) == .failure(Options.Problem(message: message)))
  }

  @Test(
    "of this program has a line of help for each option",
    arguments: ["--port", "--load", "--churn", "-h"]
  )
  func usage(_ name: String) {
    #expect(Options.usage.contains(name))
  }
}
