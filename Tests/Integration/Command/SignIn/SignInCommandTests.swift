// SPDX-License-Identifier: Apache-2.0
import Glibc

/// `chappie sign-in` in the browser.
@Suite(.worlds) @GLibActor
struct SignInCommandTests {
  private nonisolated static let manageUsage = "Manage usage: https://chatgpt.com/settings/usage"

  /// Starts the sign-in, and waits for the page that it prints.
  private func start(_ world: World, _ arguments: [String]) async throws -> (ChildProcess, page: String) {
    let process = try world.begin(["sign-in"] + arguments)
    try await eventually("the page") { process.output.contains("code_challenge=") }
    return (process, try page(process.output))
  }

  /// Signs in with a browser whose user decides so. The result is all that was printed, and the page.
  private func signIn(
    _ world: World, _ arguments: String..., deciding decision: [String: String] = [:], status: Int32 = 0,
    at location: SourceLocation = #_sourceLocation
  ) async throws -> (output: String, page: String) {
    let (process, page) = try await start(world, arguments)
    try await world.user.finish(page, deciding: decision)
    #expect(try await process.waitForEnd() == .exit(status), "\(process.output)", sourceLocation: location)
    return (process.output, page)
  }

  private func page(_ output: String) throws -> String {
    String(try #require(output.firstMatch(of: /http[^\s"]+authorize[^\s"]+/), "\(output)").0)
  }

  @Test func theBrowserSignsIn() async throws {
    let world = try await World.begin()
    let (first, page) = try await signIn(world, "--browser", "--no-open")
    #expect(page.contains("client_id=dynamic_agent_client"))
    #expect(!page.contains("hint=") || page.contains("agent_name_hint=Chappie"))
    #expect(
      first.hasSuffix(
        "Signed in as ada@example.com.\nYou're using your ChatGPT plan. \(Self.manageUsage)\n"), "\(first)")

    // The next one keeps the method and the registration, and tells of the plan no more.
    let (second, again) = try await signIn(world, "--no-open")
    #expect(again.contains("client_id=oaiapp_"))
    #expect(!again.contains("ada%40"))
    #expect(second.hasSuffix("\nSigned in as ada@example.com.\n"), "\(second)")
  }

  @Test func theBrowserIsTakenWhereThereIsOne() async throws {
    let world = try await World.begin()
    _ = try Browser(world.directories, schemes: ["http", "https"])
    let portal = try await DesktopPortal(world)
    let process = try world.begin(["sign-in"], environment: ["DISPLAY": ":0"])
    let opened = try await portal.page()
    try await eventually("the page") { process.output.contains("Continue only") }
    #expect(opened == (try page(process.output)))
    try await world.user.finish(opened)
    #expect(try await process.waitForEnd() == .exit(0), "\(process.output)")
    #expect(process.output.hasPrefix("Your browser opens the page"))
  }

  @Test func whereNoBrowserCanBeOpenedThereIsACode() async throws {
    let world = try await World.begin()
    // A display without a browser.
    let blind = try await world.chappie(
      ["sign-in"], environment: ["DISPLAY": ":0", "XDG_DATA_DIRS": world.directories.root.path])
    #expect(blind.text.contains("\nEnter    "), "\(blind.text)")
    #expect(try await world.chappie("sign-out").status == 0)
    // A browser without a display.
    let browser = try Browser(world.directories, schemes: ["http", "https"])
    try await world.chappie("sign-in").expect(0, "\nEnter    ")
    #expect(try await world.chappie("status").text.contains("\nThe sign-in was made with a code.\n"))
    // A sign-in with a code stays one.
    let again = try await world.chappie(["sign-in"], environment: ["DISPLAY": ":0"])
    #expect(again.text.contains("\nEnter    "), "\(again.text)")
    #expect(try await browser.waitForPage().hasPrefix(world.sandbox.page))
  }

  // MARK: Failures

  @Test func aRefusalHasItsStatusAndProgramsGetObjects() async throws {
    let world = try await World.begin()
    let declined = try await signIn(
      world, "--browser", "--no-open", deciding: ["decision": "decline"], status: 15)
    #expect(
      declined.output.hasSuffix("chappie: The sign-in was declined: start it again when you want it.\n"))
    #expect(try await world.chappie("status").status == 3)

    // The stages are objects for programs.
    let (first, firstPage) = try await signIn(world, "--browser", "--no-open", "--json")
    struct Stage: Decodable {
      let state: String
      let deviceLinkState: String
      let authorizationUri: String?
      let method: String?
    }
    let stages = try Stage.lines(first)
    #expect(stages.contains { $0.deviceLinkState == "waiting-for-browser" && $0.authorizationUri == firstPage })
    let last = try #require(stages.last)
    #expect(last.state == "signed-in" && last.deviceLinkState == "linked" && last.method == "browser")
    #expect(last.authorizationUri == nil)

    let grace = ["user": "grace@example.com"]
    let other = try await signIn(world, "--no-open", "--json", deciding: grace, status: 15).output
    #expect(other.contains(#""error":"org.chappie.Error.AccountMismatch""#), "\(other)")
    #expect(other.contains("give --another-account"))
    #expect(try await world.chappie("status").text.contains("ada@example.com"))

    let added = try await signIn(world, "--no-open", "--another-account", deciding: grace).output
    #expect(added.contains("Signed in as grace@example.com.\n"))
  }

  /// A terminal sends Ctrl-C; the sign-in of another program goes on.
  @Test func ctrlCCancelsOnlyItsOwnSignIn() async throws {
    let world = try await World.begin()
    let caller = try await world.caller()
    try await world.chappie(
      "sign-in", "--browser", "--no-open",
      at: [.sees("Continue only"), .sees("Waiting for your browser"), .types(TerminalStep.interrupt)]
    )
    .expect(130, "The sign-in was cancelled.")
    #expect(try await caller.property("Session.DeviceLinkState") == "cancelled")

    let quiet: VariantDictionary = ["open": false]
    let page: String = try await caller.call("Session.StartBrowserSignIn", quiet).member(0, "authorization_uri")
    let (joined, shown) = try await start(world, ["--browser", "--no-open"])
    #expect(shown == page)
    kill(joined.id, SIGINT)
    #expect(try await joined.waitForEnd() == .exit(130), "\(joined.output)")
    #expect(try await caller.property("Session.DeviceLinkState") == "waiting-for-browser")
  }

  // MARK: The plan

  @Test func thePlanCanBeAllowedLater() async throws {
    let world = try await World.begin()
    let (without, page) = try await signIn(world, "--browser", "--no-open", deciding: ["plan_use": "false"])
    #expect(!page.contains("prompt=consent"))
    #expect(without.hasSuffix("chappie sign-in --enable-plan-use asks you to allow it.\n"))
    try await world.chappie("ask", "--json", "hi")
      .expect(
        3, "org.chappie.Error.PlanUseNotGranted",
        "chappie: This sign-in may not use your ChatGPT plan: chappie sign-in --enable-plan")
    #expect(try await world.chappie("usage").text.contains("--enable-plan-use"))

    let (allowed, consent) = try await signIn(world, "--enable-plan-use", "--no-open")
    #expect(consent.contains("prompt=consent"))
    #expect(allowed.contains("You're using your ChatGPT plan."))
    #expect(try await world.chappie("ask", "hi").status == 0)
  }

  @Test func aUsedUpPlanNamesThePageForItAndARemovedApplicationIsConnectedAnew() async throws {
    let world = try await World.begin()
    _ = try await world.callerSignedInInBrowser()
    let status = try await world.chappie("status").text
    #expect(
      status.hasPrefix(
        """
        Signed in as ada@example.com.
        The sign-in was made in the browser.
        It uses your ChatGPT plan.
        \(Self.manageUsage)
        """), "\(status)")
    #expect(try await world.chappie("usage").text == "It uses your ChatGPT plan.\n\(Self.manageUsage)\n")
    try await world.sandbox.setPlanUse("limit-reached")
    try await world.chappie("ask", "--json", "hi")
      .expect(6, #""manage_usage_uri":"https://chatgpt.com/settings/usage""#, "\(Self.manageUsage)\n")
    let usage = try await world.chappie("usage", "--json").text
    #expect(usage.contains(#""class":"limit-reached""#), "\(usage)")
    #expect(try await world.chappie("usage").text.hasPrefix("The usage limit of the plan"))

    try await world.sandbox.setPlanUse("not-eligible")
    #expect(try await world.chappie("ask", "hi").status == 10)
    // A request that the backend does not offer has a status of its own.
    try await world.sandbox.setPlanUse("enabled")
    try await world.sandbox.play(
      #"""
      [{"endpoint":"api-responses","refusal":"subscription_sharing_unsupported_capability","param":"tools",
        "times":"always"}]
      """#)
    try await world.chappie("ask", "--json", "hi").expect(14, #""param":"tools""#)

    // A removed application is connected anew.
    try await world.sandbox.request(.post, "\(world.sandbox.issuer)/sandbox/remove")
    try await world.chappie(
      "sign-in", "--browser", "--no-open",
      at: [.sees("Continue only"), .sees("Waiting for your browser"), .types(TerminalStep.interrupt)]
    )
    .expect(130, "--connect-anew")
    let page = try await signIn(world, "--no-open", "--connect-anew").page
    #expect(page.contains("agent_name_hint=Chappie"))
  }
}

extension Sandbox {
  /// Sets what the plan allows.
  func setPlanUse(_ state: String) async throws {
    try await request(.post, "\(issuer)/sandbox/plan-use", "state=\(state)")
  }
}
