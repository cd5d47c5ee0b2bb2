// SPDX-License-Identifier: Apache-2.0

/// A program that uses the library is its own application.
@Suite(.worlds) @GLibActor
struct HostApplicationTests {
  @Test func whatAProgramHasIsSeparateFromTheDesktopUsers() async throws {
    let (world, caller) = try await World.signedIn()
    #expect(try await world.library("restored", as: "-") == "signed-out\n")
    #expect(try await world.library("restored", as: "org.example.App") == "signed-out\n")
    #expect(try await world.library("restored", as: "") == "signed-in\n")
    try await world.library("sign-in", "", as: "-")
    #expect(try await world.library("restored", as: "-") == "signed-in\n")
    #expect(try await world.library("restored", as: "library-host") == "signed-in\n", "its name is its id")
    #expect(try await world.library("restored", as: "org.example.App") == "signed-out\n")

    _ = try await caller.send("of the user", to: caller.createThread())
    #expect(try await world.library("list", as: "-") == "")
    try await world.library("remember", "of the program", as: "-")
    #expect(try await world.library("list", as: "-") == "of the program\n")
    #expect(try await world.library("list", as: "") == "of the user\n")
    try await world.library("delete-all", "", as: "-")
    #expect(try await world.library("list", as: "-") == "")
    #expect(try await world.library("list", as: "") == "of the user\n")

    try await world.library("sign-out", as: "-")
    #expect(try await world.library("restored", as: "-") == "signed-out\n")
    #expect(try await caller.state() == "signed-in")
    #expect(try await caller.send("hi").contains("hi"))

    for account in ["work", "home"] { try await world.library("sign-in", "", as: "-", account: account) }
    #expect(try await world.library("accounts", as: "-") == "home\nwork\n")
    #expect(try await world.library("accounts", as: "") == "default\n")
    #expect(try await world.library("accounts", as: "org.example.App") == "")
  }

  @Test func theGApplicationIdentifiesAProgram() async throws {
    let world = try await World.begin(World.Plan(service: .none))
    try await world.library("sign-in", "", as: "+org.example.App")
    #expect(try await world.library("restored", as: "org.example.App") == "signed-in\n")
    #expect(try await world.library("restored", as: "-") == "signed-out\n")
    let items = try await world.keyring.items()
    #expect(items.map { $0.attributes["app-id"] } == ["host:org.example.App"])
    #expect(items.map(\.label) == ["ChatGPT sign-in (org.example.App, default)"])
  }

  /// The program's output is its own. The library's log goes to the program under the library's own log domain.
  @Test(arguments: ["", "all"])
  func theLibraryPrintsNothing(_ debugging: String) async throws {
    let world = try await World.begin(World.Plan(service: .none))
    let host = try world.startLibraryHost("sign-in", "", as: "-", environment: ["G_MESSAGES_DEBUG": debugging])
    #expect(try await host.waitForEnd() == .exit(0))
    let lines = host.output.split(separator: "\n").filter { $0.contains("sealed with a new key") }
    #expect(lines.count == (debugging.isEmpty ? 0 : 1))
    #expect(lines.allSatisfy { $0.contains("library-host-INFO") })
    #expect(!host.output.contains("chappie-"))
  }

  @Test func theAccountIsSignedOutWhenTheProgramHasEnded() async throws {
    let (world, caller) = try await World.signedIn()
    try await world.keyring.lock()
    #expect(try await world.library("sign-out") == "signed-in The keyring is locked: unlock it and try again.\n")
    try await world.keyring.unlock()
    #expect(try await world.keyring.credentials().count == 1)

    // The program waits for a silent keyring no longer than the documentation of `signOut()` says.
    world.keyring.freeze()
    let blocked = try await world.library("sign-out", "blocking")
    #expect(!blocked.hasPrefix("signed-out") && blocked.contains("keyring"), "\(blocked)")
    world.keyring.thaw()
    #expect(try await world.keyring.credentials().count == 1)

    #expect(try await world.library("sign-out") == "signed-out \n")
    #expect(try await world.keyring.credentials().isEmpty)
    try await caller.waitFor("signed-out")
  }

  /// The user signs a program out that is not the service's, and its own session tells it.
  @Test func theUserSignsAProgramOut() async throws {
    let (world, caller) = try await World.signedIn()
    let id = "org.example.Host"
    try await world.library("sign-in", "", as: id)
    let watching = try world.startLibraryHost("watch", "now", as: id)
    try await eventually("the first state") { watching.output.contains("signed-in") }
    let listed = try await world.chappie("accounts", "--json").text
    #expect(listed.contains(#"{"app":"\#(id)","account":"default","state":"signed-in","method":"device-code"}"#))
    #expect(try await world.chappie("sign-out", "--app", id).text == "Signed out “default” of \(id).\n")
    try await eventually("the last state") { watching.output.contains("signed-out") }
    #expect(try await caller.state() == "signed-in")
    #expect(try await world.sandbox.state().liveRefreshTokens == 1)
  }
}
