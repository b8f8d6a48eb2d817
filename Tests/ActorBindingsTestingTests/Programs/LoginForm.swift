import ActorBindings

struct WrongPassword: Error {}

/// A form with two fields, a button, a hint about the fields, and a message about the last attempt.
final class LoginForm: Sendable {
  let name = BindableActor("")
  let password = BindableActor("")
  let session = BindableActor<String?>(nil)
  let message = BindableActor<String?>(nil)
  let hint: AnyBindingSource<String?>
  let submit: AsyncAction<Void, Void>
  private let wrongPasswords = BindableActor(0)

  init(
    clock: some Clock<Duration> = ContinuousClock(),
    logIn: @escaping @Sendable (_ name: String, _ password: String) async throws -> String
  ) {
    let fields = combineLatest(name, password)
    let problem = fields.map { name, password -> String? in
      if !name.contains("@") { return "Enter your mail address." }
      return password.count < 8 ? "A password has 8 characters or more." : nil
    }
    hint = problem.dropFirst().debounce(for: .milliseconds(500), clock: clock).removeDuplicates().erased()

    let isAllowed = combineLatest(problem, wrongPasswords).map { $0 == nil && $1 < 3 }
    submit = AsyncAction(isEnabled: isAllowed) { [session, message, wrongPasswords] in
      message.send(nil)
      do {
        let (name, password) = fields.value
        session.send(try await logIn(name, password))
        wrongPasswords.send(0)
      } catch is WrongPassword {
        wrongPasswords.modify { $0 += 1 }
        message.send(wrongPasswords.value < 3 ? "Wrong password." : "Try again in 30 seconds.")
      } catch {
        message.send("No connection.")
      }
    }

    fields.dropFirst().observe(self, on: .immediate) { form, _ in form.message.sendIfChanged(nil) }
    wrongPasswords.filter { $0 == 3 }.delay(for: .seconds(30), clock: clock)
      .observe(self, on: .immediate) { form, _ in form.wrongPasswords.send(0) }
  }
}
