// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import Platform

/// The user's consent to background use: to turns that nobody has asked for at the moment.
///
/// An application's first background turn asks the user by a notification, and the answer is kept. All background turns
/// of the application wait for the one question.
@GLibActor
final class BackgroundConsent {
  typealias Choice = BackgroundAnswers.Choice

  /// Nil is no answer.
  typealias Outcome = Choice?

  @GLibActor
  private final class Question {
    /// To allow or to deny.
    let outcome = Promise<Outcome>()
    let task: Task<Outcome, Never>
    var waiting = 0

    init(_ ask: @escaping @GLibActor (Promise<Outcome>) async -> Outcome) {
      task = Task.onGLib { [outcome] in await ask(outcome) }
    }
  }

  /// Shows a question while `body` waits for its end. It reports each click, and nil if nothing shows the question.
  typealias Asking =
    @GLibActor (
      _ question: DesktopNotification, _ asker: String,
      _ answer: @escaping @GLibActor (DesktopNotification.Action?) -> Void,
      _ body: @escaping @GLibActor () async -> Outcome
    ) async -> Outcome

  /// The time without another question of an application after one that nobody has answered.
  private static let pause = Duration.seconds(3600)

  private let answers: BackgroundAnswers
  /// Nil if the user has turned notifications off.
  private let asking: Asking?
  /// The time for an answer.
  private let patience: Duration
  /// Whether the screen shows questions.
  private let mayApprove: @GLibActor () -> Bool
  /// The questions that wait, by the app that asks; nil for the desktop user.
  private var questions: [AppID?: Question] = [:]
  private var nextQuestion: [AppID?: ContinuousClock.Instant] = [:]

  convenience init(_ notifications: Notifications?) {
    var asking: Asking?
    if let notifications {
      asking = { await notifications.asking($0, of: $1, answer: $2, while: $3) }
    }
    self.init(asking)
  }

  init(
    _ asking: Asking?, answers: BackgroundAnswers = BackgroundAnswers(), patience: Duration = .seconds(300),
    mayApprove: @escaping @GLibActor () -> Bool = { LockMonitor.shared.mayApprove }
  ) {
    self.mayApprove = mayApprove
    self.asking = asking
    self.answers = answers
    self.patience = patience
  }

  /// Waits until the user allows background use by `app`, if it needs consent. An answer of the user counts for every
  /// sign-in. Without one, the sign-in's method decides.
  ///
  /// - Parameter isNeeded: whether the sign-in's method asks for consent.
  /// - Throws: `BusError` with `AccessDenied`; `CancellationError`; the errors of `isNeeded`.
  func admit(_ app: AppID?, isNeeded: () async throws -> Bool) async throws {
    switch answers.choice(for: app) {
    case .allow: return
    case .deny: throw denial(app, .deny)
    case .ask: break
    case nil: guard try await isNeeded() else { return }
    }
    let outcome = try await outcome(for: app)
    guard outcome == .allow else { throw denial(app, outcome) }
  }

  /// The user's answer for `app`; nil if there is none.
  func choice(for app: AppID?) -> Choice? { answers.choice(for: app) }

  /// Keeps an answer of the user, and gives it to the turns that wait for one.
  ///
  /// - Throws: `BusError` with `StoreUnavailable`.
  func set(_ choice: Choice, for app: AppID?) throws {
    do {
      try answers.set(choice, for: app)
    } catch {
      throw BusError(.storeUnavailable, en("The answer on background use could not be stored: \(error)."))
    }
    Log.info("Background use by \(name: Self.logName(app)) is set to '\(name: choice.rawValue)'.")
    nextQuestion[app] = nil
    if choice != .ask { questions[app]?.outcome.fulfil(choice) }
  }

  // MARK: Asking

  private func outcome(for app: AppID?) async throws -> Outcome {
    if let next = nextQuestion[app], next > .now { return nil }
    let question = questions[app] ?? ask(app)
    question.waiting += 1
    defer {
      question.waiting -= 1
      // Nobody waits for the answer any more.
      if question.waiting == 0 {
        question.task.cancel()
        forget(question.outcome, app)
      }
    }
    try await question.task.untilEnded()
    return await question.task.value
  }

  private func ask(_ app: AppID?) -> Question {
    let question = Question { [self] outcome in
      defer { forget(outcome, app) }
      guard let asking else { return nil }
      Log.info("The user is asked for consent to background use by \(name: Self.logName(app)).")
      var name: String?
      if let app { name = await ApplicationName.name(of: app.text) }
      let content = DesktopNotification(askingForBackgroundUseBy: app?.text, named: name)
      return await asking(content, Self.logName(app)) { [self] action in
        if let action { take(action, app, outcome) } else { outcome.fulfil(nil) }
      } _: { [self] in
        await answer(outcome, app)
      }
    }
    questions[app] = question
    return question
  }

  /// A later turn asks again.
  private func forget(_ outcome: Promise<Outcome>, _ app: AppID?) {
    if questions[app]?.outcome === outcome { questions[app] = nil }
  }

  private func take(_ action: DesktopNotification.Action, _ app: AppID?, _ outcome: Promise<Outcome>) {
    let choice = action == .allow ? Choice.allow : .deny
    do {
      try set(choice, for: app)
    } catch {
      Log.warning("The answer on background use could not be stored, and counts for this time only.")
      outcome.fulfil(choice)
    }
  }

  private func answer(_ outcome: Promise<Outcome>, _ app: AppID?) async -> Outcome {
    do {
      return try await withDeadline(patience) { try await outcome.value() }
    } catch is CancellationError {
      return nil
    } catch {
      // Behind a locked screen nobody has seen it.
      guard mayApprove() else { return nil }
      nextQuestion = nextQuestion.filter { $0.value > .now }
      nextQuestion[app] = .now + Self.pause
      return nil
    }
  }

  // MARK: Words

  private func denial(_ app: AppID?, _ outcome: Outcome) -> BusError {
    let command = "chappie accounts --background allow" + (app.map { " --app \($0)" } ?? "")
    return BusError(
      .accessDenied,
      outcome == .deny
        ? en("The user does not allow ChatGPT to be used in the background here: to allow it, run \(command).")
        : en(
          """
          The use of ChatGPT in the background needs the user's consent, and nobody has given it: to allow it, run \
          \(command).
          """))
  }

  private static func logName(_ app: AppID?) -> String { app?.text ?? "the user's own programs" }
}

extension ChappieAuthSession {
  /// Whether the method of the stored sign-in asks for the user's consent before background use.
  ///
  /// - Throws: ``ChappieAuthError`` if the keyring does not tell the method. A background turn prompts for no password.
  func needsBackgroundConsent() async throws -> Bool {
    await restored()
    let snapshot = snapshot
    if snapshot.signInMethod == nil, snapshot.state != .signedOut, let error = snapshot.lastError { throw error }
    return snapshot.needsBackgroundConsent
  }
}

/// The user's answers on background use, in a key file of the user's state directory:
///
///     [org.example.App]
///     Answer=allow
///     Time=1795420800
///
/// The desktop user's own programs have the group `[desktop-user]`, which is no app's id. The file is read at each use.
struct BackgroundAnswers {
  /// How background turns of an application are treated.
  enum Choice: String, CaseIterable {
    case allow
    case deny
    /// The next one asks the user.
    case ask
  }

  private typealias Answer = (choice: Choice, time: Timestamp)

  private static let sizeLimit = 256 << 10
  private static let desktopUser = "desktop-user"

  var directory = Directories.state + "/chappie"
  private var path: String { directory + "/background-use" }

  /// The answer for an app, or for the desktop user; nil if there is none. A file that cannot be read makes each
  /// application ask.
  func choice(for app: AppID?) -> Choice? {
    guard let answers = try? read() else { return .ask }
    return answers[Self.group(app)]?.choice
  }

  /// Keeps an answer.
  ///
  /// - Throws: ``FileError``. A file that cannot be read is replaced.
  func set(_ choice: Choice, for app: AppID?) throws(FileError) {
    var answers = (try? read()) ?? [:]
    answers[Self.group(app)] = (choice, .now)
    let text = answers.sorted { $0.key < $1.key }.map { group, answer in
      "[\(group)]\nAnswer=\(answer.choice.rawValue)\nTime=\(answer.time.unixSeconds)\n"
    }
    try Files.makeDirectory(directory)
    try Files.write(Array(text.joined(separator: "\n").utf8), to: path)
  }

  private func read() throws -> [String: Answer] {
    guard Files.exists(path) else { return [:] }
    let file = try KeyFile(Files.read(path, limit: Self.sizeLimit))
    var answers: [String: Answer] = [:]
    // The names of applications are ASCII. Among others, `String` takes different bytes for the same name.
    for group in file.groupNames where group.utf8.allSatisfy({ $0 < 0x80 }) {
      // A value that is not understood allows nothing.
      let choice = file.string(group, "Answer").flatMap(Choice.init) ?? .ask
      let time = file.string(group, "Time").flatMap { Timestamp(text: $0) } ?? .distantPast
      answers[group] = (choice, time)
    }
    return answers
  }

  private static func group(_ app: AppID?) -> String { app?.text ?? desktopUser }
}
