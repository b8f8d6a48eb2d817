import ActorBindings
import ActorBindingsTesting
import Testing

@Suite(.timeLimit(.minutes(1)))
struct LoginFormTests {
  struct NoAnswer: Error {}

  private let clock = ManualClock()
  private let answers = BindableActor<[Result<String, any Error>]>([])
  private let calls = BindableActor<[String]>([])
  private let gate = Gate()
  private let form: LoginForm

  init() {
    form = LoginForm(clock: clock) { [answers, calls, gate] name, password in
      calls.modify { $0.append("\(name) \(password)") }
      try await gate.wait()
      return try answers.modify { $0.isEmpty ? .failure(NoAnswer()) : $0.removeFirst() }.get()
    }
    gate.open()
  }

  private func fill(_ name: String = "ada@example.org", _ password: String = "difference") {
    form.name.send(name)
    form.password.send(password)
  }

  private func submit(_ answer: Result<String, any Error>) async throws {
    answers.modify { $0.append(answer) }
    try await form.submit.execute()
  }

  @Test
  func `a hint comes half a second after the last key`() async throws {
    let hints = Recorder(form.hint)
    try await clock.advance(by: .seconds(1))
    form.name.send("ada")
    try await clock.advance(by: .milliseconds(400))
    form.name.send("ada@example.org")
    try await clock.advance(by: .milliseconds(499))
    #expect(hints.values.isEmpty)
    try await clock.advance(by: .milliseconds(1))
    #expect(hints.values == ["A password has 8 characters or more."])

    for password in ["1234567", "12345678"] {
      form.password.send(password)
      try await clock.advance(by: .milliseconds(500))
    }
    #expect(hints.values == ["A password has 8 characters or more.", nil])
  }

  @Test(arguments: [("ada", "difference"), ("ada@example.org", "1234567"), ("", "")])
  func `a form with a problem cannot be submitted`(name: String, password: String) async throws {
    fill(name, password)
    await #expect(throws: ActionRefusal.self) { try await form.submit.execute() }
    #expect(calls.value.isEmpty)
    #expect(!form.submit.isEnabled.value)
  }

  @Test
  func `a login sends what was typed, and keeps the session`() async throws {
    fill()
    try await submit(.success("session of ada"))
    #expect(calls.value == ["ada@example.org difference"])
    #expect(form.session.value == "session of ada")
    #expect(form.message.value == nil)
  }

  @Test
  func `a second tap is refused while the first one waits for the server`() async throws {
    gate.close()
    fill()
    answers.send([.success("session of ada")])
    #expect(form.submit.start())
    try await expectValue(1, of: gate.waiting)
    #expect(form.submit.isExecuting.value)
    #expect(!form.submit.start())
    form.name.send("eve@example.org")

    gate.open()
    try await expectValue("session of ada", of: form.session)
    #expect(calls.value == ["ada@example.org difference"])
  }

  @Test
  func `the message about an attempt stays until the user types or tries again`() async throws {
    let messages = Recorder(form.message.removeDuplicates())
    fill()
    try await submit(.failure(WrongPassword()))
    #expect(form.message.value == "Wrong password.")
    form.password.send("difference engine")
    #expect(form.message.value == nil)
    try await submit(.failure(CancellationError()))
    try await submit(.success("session of ada"))
    form.message.finish()
    #expect(try await messages.end() == [nil, "Wrong password.", nil, "No connection.", nil])
    #expect(form.session.value == "session of ada")
  }

  @Test
  func `three wrong passwords lock the form for 30 seconds`() async throws {
    fill()
    for message in ["Wrong password.", "Wrong password.", "Try again in 30 seconds."] {
      try await clock.advance(by: .seconds(10))
      try await submit(.failure(WrongPassword()))
      #expect(form.message.value == message)
    }
    try await clock.advance(by: .milliseconds(29_999))
    #expect(!form.submit.start())
    #expect(!form.submit.isEnabled.value)
    try await clock.advance(by: .milliseconds(1))
    #expect(form.submit.isEnabled.value)
    try await submit(.failure(WrongPassword()))
    #expect(form.message.value == "Wrong password.")
  }

  @Test
  func `only wrong passwords since the last login lock the form`() async throws {
    fill()
    for _ in 1...2 {
      try await submit(.failure(WrongPassword()))
      try await submit(.failure(WrongPassword()))
      try await submit(.failure(CancellationError()))
      try await submit(.success("session of ada"))
    }
    #expect(calls.value.count == 8)
  }

  @Test
  func `a form that is released leaves nothing behind`() async throws {
    try await expectReleased { objects in
      let form = objects.track(LoginForm(clock: clock) { _, _ in throw WrongPassword() })
      let hints = Recorder(form.hint)
      fill()
      form.name.send("ada@example.org")
      form.password.send("difference")
      for _ in 1...3 { try await form.submit.execute() }
      hints.cancel()
    }
  }
}
