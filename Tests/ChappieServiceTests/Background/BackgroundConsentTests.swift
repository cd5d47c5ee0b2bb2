// SPDX-License-Identifier: Apache-2.0
@testable import ChappieService

@Suite(.timeLimit(.minutes(10))) @GLibActor
final class BackgroundConsentTests {
  private let directory: TemporaryDirectory
  private var questions = 0
  private var isLocked = false
  private lazy var consent = BackgroundConsent(
    { [unowned self] _, _, _, body in
      questions += 1
      return await body()
    }, answers: BackgroundAnswers(directory: directory.path), patience: .milliseconds(1),
    mayApprove: { [unowned self] in !isLocked })

  init() throws {
    directory = try TemporaryDirectory()
  }

  private func refusal(isNeeded: Bool = true) async throws -> BusError? {
    do {
      try await consent.admit(nil) { isNeeded }
      return nil
    } catch let error as BusError {
      return error
    }
  }

  /// A program that asks by itself each minute must not put a question on the screen each minute.
  @Test func noAnswerInTimeRefusesWithoutAnotherQuestion() async throws {
    #expect(try await refusal(isNeeded: false) == nil)
    #expect(questions == 0)
    for _ in 0..<3 {
      let error = try await refusal()
      #expect(error?.name == "org.chappie.Error.AccessDenied")
      #expect(error?.message.contains("nobody has given it: to allow it, run chappie accounts") == true)
    }
    #expect(questions == 1)
    // Another application has a question of its own.
    let app = AppID("org.example.App")
    await #expect(throws: BusError.self) { try await consent.admit(app) { true } }
    #expect(questions == 2)
    // The user decides that it may ask again.
    try consent.set(.ask, for: nil)
    _ = try await refusal()
    #expect(questions == 3)
    #expect(consent.choice(for: nil) == .ask)
    #expect(consent.choice(for: app) == nil)
  }

  @Test func aQuestionBehindALockedScreenIsAskedAgain() async throws {
    isLocked = true
    for _ in 0..<2 { #expect(try await refusal()?.name == "org.chappie.Error.AccessDenied") }
    #expect(questions == 2)
  }

  @Test func answersAreKeptForEachApplication() throws {
    let app = AppID("org.example.App")
    try consent.set(.deny, for: app)
    try consent.set(.allow, for: nil)
    try consent.set(.allow, for: app)
    let other = BackgroundAnswers(directory: directory.path)
    #expect(other.choice(for: app) == .allow)
    #expect(other.choice(for: nil) == .allow)
    #expect(other.choice(for: AppID("org.example.Widget")) == nil)
  }
}
