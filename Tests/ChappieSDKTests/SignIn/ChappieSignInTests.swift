// SPDX-License-Identifier: Apache-2.0
@testable import ChappieSDK

/// The “Continue with ChatGPT” button, against the stand-in.
@Suite(.timeLimit(.minutes(10)))
@GLibActor struct ChappieSignInTests {
  private let backend: StandInBackend

  init() throws {
    var settings = StandInConfiguration()
    settings.pollInterval = 1
    backend = try StandInBackend(settings)
  }

  private func signIn(_ fixture: ChappieAuthFixture) async throws -> ChappieSignIn {
    var configuration = try ChappieConfiguration.testing(fixture, backend: backend)
    configuration.applicationName = "Notes"
    let session = Chappie.authSession(configuration: configuration)
    await session.restored()
    return ChappieSignIn(authSession: session)
  }

  /// Shows the page, and opens no browser.
  private func showPage(_ signIn: ChappieSignIn) async throws -> ChappieAddress {
    let page = try await signIn.authSession.startBrowserSignIn(opensBrowser: false)
    try await signIn.perform(.continueInBrowser)
    #expect(signIn.step.content == .page(page))
    return page.authorizationURI
  }

  private func step(
    of signIn: ChappieSignIn, _ condition: (ChappieSignIn.Step) -> Bool
  ) async throws -> ChappieSignIn.Step {
    for await step in signIn.updates where condition(step) { return step }
    throw CancellationError()
  }

  private func isSignedIn(_ step: ChappieSignIn.Step) -> Bool {
    if case .signedIn = step.content { true } else { false }
  }

  @Test func showsACodeUntilItIsApproved() async throws {
    let signIn = try await signIn(.signedOut)
    let welcome = signIn.step
    #expect(welcome.content == .signedOut)
    #expect(welcome.message?.contains("where you connect Notes.") == true)
    #expect(welcome.actions == [.continueInBrowser, .useCode])
    #expect(welcome.code == nil && welcome.link == nil && welcome.planLine == nil && !welcome.isBusy)
    try await signIn.perform(.useCode)
    let waiting = signIn.step
    let code = try #require(waiting.code)
    #expect(waiting.link?.address.address == backend.devicePage)
    #expect(waiting.actions == [.cancel])
    backend.approve(userCode: code)
    let end = try await step(of: signIn, isSignedIn)
    #expect(end.title == "You are signed in as ada@example.com")
    #expect(end.planLine == "Plan: Plus")
    #expect(end.code == nil && end.message == nil)
    #expect(end.actions == [.signOut])
  }

  @Test func showsAPageUntilAnAddressIsPasted() async throws {
    let signIn = try await signIn(.signedOut)
    let address = try await showPage(signIn)
    let waiting = signIn.step
    #expect(waiting.message?.hasPrefix("Connect Notes on the page of ChatGPT.") == true)
    #expect(waiting.link?.address == address)
    #expect(waiting.actions == [.pasteAddress, .cancel])
    await #expect(throws: ChappieAuthError.self) {
      try await signIn.perform(.pasteAddress, address: "http://127.0.0.1/")
    }
    #expect(signIn.step == waiting)
    try await signIn.perform(.pasteAddress, address: try #require(backend.approve(inBrowser: address)))
    let end = try await step(of: signIn, isSignedIn)
    #expect(end.planLine == "Using ChatGPT plan")
    #expect(end.message == "You’re using your ChatGPT plan.")
    #expect(end.link?.title == "Manage usage")
    try await signIn.perform(.signOut)
    #expect(signIn.step.content == .signedOut)
  }

  @Test func tellsHowASignInEnded() async throws {
    let signIn = try await signIn(.signedOut)
    let declined = try #require(backend.decline(inBrowser: try await showPage(signIn)))
    try await signIn.perform(.pasteAddress, address: declined)
    #expect(try await step(of: signIn) { $0.content == .signedOut }.message == ChappieAuthError.declined.description)
    _ = try await showPage(signIn)
    try await signIn.perform(.cancel)
    let cancelled = try await step(of: signIn) { $0.content == .signedOut }
    #expect(cancelled.message?.contains("where you connect Notes.") == true)
    #expect(cancelled.actions == [.continueInBrowser, .useCode, .connectAnew])
  }

  @Test func offersPlanUseAndToConnectAnewOnlyAfterAPage() async throws {
    let signIn = try await signIn(.signedOut)
    try await signIn.perform(.useCode)
    try await signIn.perform(.cancel)
    #expect(try await step(of: signIn) { $0.content == .signedOut }.actions == [.continueInBrowser, .useCode])

    let approved = backend.approve(inBrowser: try await showPage(signIn), allowsPlanUse: false)
    try await signIn.perform(.pasteAddress, address: try #require(approved))
    let signedIn = try await step(of: signIn, isSignedIn)
    #expect(signedIn.planLine == "This sign-in does not allow the use of your ChatGPT plan.")
    #expect(signedIn.actions == [.allowPlanUse, .signOut])
    // The user has removed the program in ChatGPT's settings, so the page does not return.
    try await signIn.authSession.startBrowserSignIn(opensBrowser: false, asksForPlanUse: true)
    try await signIn.perform(.cancel)
    let end = try await step(of: signIn, isSignedIn)
    #expect(end.actions == [.allowPlanUse, .connectAnew, .signOut])
  }

  @Test func offersToReplaceTheAccount() async throws {
    let signIn = try await signIn(.signedIn)
    let grace = StandInUser(email: "grace@example.com")
    try await signIn.perform(.useCode)
    backend.approve(userCode: try #require(signIn.step.code), user: grace)
    let refused = try await step(of: signIn, isSignedIn)
    #expect(refused.title == "You are signed in as ada@example.com")
    #expect(refused.message == ChappieAuthError.accountMismatch.description)
    #expect(refused.actions == [.useAnotherAccount, .signOut])
    try await signIn.perform(.useAnotherAccount)
    backend.approve(userCode: try #require(signIn.step.code), user: grace)
    #expect(try await step(of: signIn, isSignedIn).title == "You are signed in as grace@example.com")
  }

  @Test func waitsForTheKeyringAndAsksToSignInAgain() async throws {
    let waiting = ChappieSignIn.Step(ChappieAuthSession.Snapshot(SlotState()), applicationName: "Notes")
    #expect(waiting.content == .restoring && waiting.isBusy && waiting.actions.isEmpty)
    let step = try await signIn(.reauthenticationRequired).step
    #expect(step.content == .signInAgain)
    #expect(step.message == "The server no longer accepts your sign-in.")
    #expect(step.actions == [.continueInBrowser, .useCode, .signOut])
  }
}
