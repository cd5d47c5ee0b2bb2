// SPDX-License-Identifier: Apache-2.0
import Foundation
import GLibBridge
import Glibc
import Testing

/// `chappie sign-in` in the browser.
@Suite(.worlds) @GLibActor
struct SignInCommandTests {
  private nonisolated static let manageUsage = "Manage usage: https://chatgpt.com/settings/usage"

  /// Starts the sign-in, and waits for the page that it prints.
  private func start(_ world: World, _ arguments: String...) async throws -> (ChildProcess, page: String) {
    let process = try ChildProcess("command", Binaries.chappie, ["sign-in"] + arguments, in: world.directories)
    world.adopt(process)
    try await eventually("the page") { process.output.contains("code_challenge=") }
    return (process, try page(process.output))
  }

  private func page(_ output: String) throws -> String {
    String(try #require(output.firstMatch(of: /http[^\s"]+authorize[^\s"]+/), "\(output)").0)
  }

  @Test func theBrowserSignsIn() async throws {
    try await World.with { world in
      let (first, page) = try await start(world, "--browser", "--no-open")
      #expect(page.contains("client_id=dynamic_agent_client"))
      #expect(!page.contains("hint=") || page.contains("agent_name_hint=Chappie"))
      try await world.user.finish(page)
      #expect(try await first.waitForEnd() == .exit(0), "\(first.output)")
      #expect(
        first.output.hasSuffix(
          "Signed in as ada@example.com.\nYou're using your ChatGPT plan. \(Self.manageUsage)\n"), "\(first.output)")

      // The next one keeps the method and the registration, and tells of the plan no more.
      let (second, again) = try await start(world, "--no-open")
      #expect(again.contains("client_id=oaiapp_"))
      #expect(!again.contains("ada%40"))
      try await world.user.finish(again)
      #expect(try await second.waitForEnd() == .exit(0))
      #expect(second.output.hasSuffix("\nSigned in as ada@example.com.\n"), "\(second.output)")
    }
  }

  @Test func theBrowserIsTakenWhereThereIsOne() async throws {
    try await World.with { world in
      _ = try Browser(world.directories, schemes: ["http", "https"])
      let portal = try await DesktopPortal(world)
      let process = try ChildProcess(
        "command", Binaries.chappie, ["sign-in"], in: world.directories, environment: ["DISPLAY": ":0"])
      world.adopt(process)
      let opened = try await portal.page()
      try await eventually("the page") { process.output.contains("Continue only") }
      #expect(opened == (try page(process.output)))
      try await world.user.finish(opened)
      #expect(try await process.waitForEnd() == .exit(0), "\(process.output)")
      #expect(process.output.hasPrefix("Your browser opens the page"))
    }
  }

  @Test func aMachineWithoutADisplayGetsACode() async throws {
    try await World.with { world in
      _ = try Browser(world.directories, schemes: ["http", "https"])
      let output = try await world.chappie("sign-in")
      #expect(output.status == 0)
      #expect(output.text.contains("\nEnter    "), "\(output.text)")
      #expect(try await world.chappie("status").text.contains("\nThe sign-in was made with a code.\n"))
    }
  }

  @Test func aSignInWithACodeStaysOne() async throws {
    try await World.with { world in
      let browser = try Browser(world.directories, schemes: ["http", "https"])
      _ = try await world.signedInCaller()
      let output = try await world.chappie(["sign-in"], environment: ["DISPLAY": ":0"])
      #expect(output.text.contains("\nEnter    "), "\(output.text)")
      #expect(try await browser.waitForPage().hasPrefix(world.sandbox.page))
    }
  }

  /// Where there is a display and no browser, a code helps too.
  @Test func aDisplayWithoutABrowserGetsACode() async throws {
    try await World.with { world in
      let output = try await world.chappie(
        ["sign-in"], environment: ["DISPLAY": ":0", "XDG_DATA_DIRS": world.directories.root.path])
      #expect(output.text.contains("\nEnter    "), "\(output.text)")
    }
  }

  // MARK: Failures

  @Test func aRefusalHasItsStatus() async throws {
    try await World.with { world in
      let (declined, page) = try await start(world, "--browser", "--no-open")
      try await world.user.finish(page, deciding: ["decision": "decline"])
      #expect(try await declined.waitForEnd() == .exit(15), "\(declined.output)")
      #expect(declined.output.hasSuffix("chappie: The sign-in was declined: start it again when you want it.\n"))
      #expect(try await world.chappie("status").status == 3)

      let (first, firstPage) = try await start(world, "--browser", "--no-open")
      try await world.user.finish(firstPage)
      #expect(try await first.waitForEnd() == .exit(0))
      let (other, otherPage) = try await start(world, "--no-open", "--json")
      try await world.user.finish(otherPage, deciding: ["user": "grace@example.com"])
      #expect(try await other.waitForEnd() == .exit(15), "\(other.output)")
      #expect(other.output.contains(#""error":"org.chappie.Error.AccountMismatch""#), "\(other.output)")
      #expect(other.output.contains("give --another-account"))
      #expect(try await world.chappie("status").text.contains("ada@example.com"))

      let (added, addedPage) = try await start(world, "--no-open", "--another-account")
      try await world.user.finish(addedPage, deciding: ["user": "grace@example.com"])
      #expect(try await added.waitForEnd() == .exit(0), "\(added.output)")
      #expect(added.output.contains("Signed in as grace@example.com.\n"))
    }
  }

  /// A terminal sends Ctrl-C; the sign-in of another program goes on.
  @Test func ctrlCCancelsOnlyItsOwnSignIn() async throws {
    try await World.with { world in
      let caller = try await world.caller()
      let output = try await world.chappie(
        "sign-in", "--browser", "--no-open",
        at: [.sees("Continue only"), .sees("Waiting for your browser"), .types(TerminalStep.interrupt)])
      #expect(output.status == 130, "\(output.text)")
      #expect(output.text.contains("The sign-in was cancelled."))
      #expect(try await caller.property("Session.DeviceLinkState") == "cancelled")

      let quiet: VariantDictionary = ["open": false]
      let page: String = try await caller.call("Session.StartBrowserSignIn", quiet).member(0, "authorization_uri")
      let (joined, shown) = try await start(world, "--browser", "--no-open")
      #expect(shown == page)
      kill(joined.id, SIGINT)
      #expect(try await joined.waitForEnd() == .exit(130), "\(joined.output)")
      #expect(try await caller.property("Session.DeviceLinkState") == "waiting-for-browser")
    }
  }

  @Test func aRemovedApplicationIsConnectedAnew() async throws {
    try await World.with { world in
      _ = try await world.callerSignedInInBrowser()
      try await world.sandbox.request(.post, "\(world.sandbox.issuer)/sandbox/remove")
      let dead = try await world.chappie(
        "sign-in", "--browser", "--no-open",
        at: [.sees("Continue only"), .sees("Waiting for your browser"), .types(TerminalStep.interrupt)])
      #expect(dead.status == 130, "\(dead.text)")
      #expect(dead.text.contains("--connect-anew"), "\(dead.text)")
      let (anew, page) = try await start(world, "--no-open", "--connect-anew")
      #expect(page.contains("agent_name_hint=Chappie"))
      try await world.user.finish(page)
      #expect(try await anew.waitForEnd() == .exit(0), "\(anew.output)")
    }
  }

  @Test func optionsExcludeEachOther() async throws {
    let options = ["--browser", "--paste", "--enable-plan-use", "--connect-anew"]
    try await World.with(World.Plan(keyring: .none, service: .none), each: options) { world, option in
      let output = try await world.chappie("sign-in", "--device-code", option)
      #expect(output.status == 2)
      #expect(output.text.contains("--device-code and \(option) exclude each other"))
    }
  }

  // MARK: The plan

  @Test func thePlanCanBeAllowedLater() async throws {
    try await World.with { world in
      let (without, page) = try await start(world, "--browser", "--no-open")
      #expect(!page.contains("prompt=consent"))
      try await world.user.finish(page, deciding: ["plan_use": "false"])
      #expect(try await without.waitForEnd() == .exit(0))
      #expect(without.output.hasSuffix("chappie sign-in --enable-plan-use asks you to allow it.\n"))
      let refused = try await world.chappie("ask", "--json", "hi")
      #expect(refused.status == 3)
      #expect(refused.text.contains("org.chappie.Error.PlanUseNotGranted"))
      #expect(
        refused.text.contains("chappie: This sign-in may not use your ChatGPT plan: chappie sign-in --enable-plan"))
      #expect(try await world.chappie("usage").text.contains("--enable-plan-use"))

      let (allowed, consent) = try await start(world, "--enable-plan-use", "--no-open")
      #expect(consent.contains("prompt=consent"))
      try await world.user.finish(consent)
      #expect(try await allowed.waitForEnd() == .exit(0))
      #expect(allowed.output.contains("You're using your ChatGPT plan."))
      #expect(try await world.chappie("ask", "hi").status == 0)
    }
  }

  @Test func aUsedUpPlanNamesThePageForIt() async throws {
    try await World.with { world in
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
      let refused = try await world.chappie("ask", "--json", "hi")
      #expect(refused.status == 6)
      #expect(refused.text.contains(#""manage_usage_uri":"https://chatgpt.com/settings/usage""#), "\(refused.text)")
      #expect(refused.text.contains("\(Self.manageUsage)\n"))
      let usage = try await world.chappie("usage", "--json").text
      #expect(usage.contains(#""class":"limit-reached""#), "\(usage)")
      #expect(try await world.chappie("usage").text.hasPrefix("The usage limit of the plan"))

      try await world.sandbox.setPlanUse("not-eligible")
      #expect(try await world.chappie("ask", "hi").status == 10)
    }
  }

  @Test func aRequestThatTheBackendDoesNotOfferHasItsStatus() async throws {
    try await World.with { world in
      _ = try await world.callerSignedInInBrowser()
      try await world.sandbox.play(
        #"""
        [{"endpoint":"api-responses","refusal":"subscription_sharing_unsupported_capability","param":"tools",
          "times":"always"}]
        """#)
      let refused = try await world.chappie("ask", "--json", "hi")
      #expect(refused.status == 14, "\(refused.text)")
      #expect(refused.text.contains(#""param":"tools""#))
    }
  }

  // MARK: For programs

  @Test func theStagesAreObjects() async throws {
    try await World.with { world in
      let process = try ChildProcess(
        "command", Binaries.chappie, ["sign-in", "--json", "--browser", "--no-open"], in: world.directories)
      world.adopt(process)
      try await eventually("the page") { process.output.contains("authorization_uri") }
      struct Stage: Decodable {
        let state: String
        let deviceLinkState: String
        let authorizationUri: String?
        let method: String?
      }
      let decoder = JSONDecoder()
      decoder.keyDecodingStrategy = .convertFromSnakeCase
      let stages = {
        try process.output.split(separator: "\n").map { try decoder.decode(Stage.self, from: Data($0.utf8)) }
      }
      let page = try #require(try stages().first { $0.deviceLinkState == "waiting-for-browser" }?.authorizationUri)
      try await world.user.finish(page)
      #expect(try await process.waitForEnd() == .exit(0), "\(process.output)")
      let last = try #require(try stages().last)
      #expect(last.state == "signed-in" && last.deviceLinkState == "linked" && last.method == "browser")
      #expect(last.authorizationUri == nil)
    }
  }
}

extension Sandbox {
  /// Sets what the plan allows.
  func setPlanUse(_ state: String) async throws {
    try await request(
      .post, "\(issuer)/sandbox/plan-use", "state=\(state)", type: "application/x-www-form-urlencoded")
  }
}
