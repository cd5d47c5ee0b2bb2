// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

/// A program that uses the library is its own application.
@Suite(.worlds) @GLibActor
struct HostApplicationTests {
  private func output(_ world: World, _ verb: String, _ argument: String, as application: String) async throws
    -> String
  {
    let host = try world.startLibraryHost(verb, argument, as: application)
    #expect(try await host.waitForEnd() == .exit(0), "\(host.output)")
    return host.output
  }

  @Test func aProgramsSignInIsSeparateFromTheDesktopUsers() async throws {
    try await World.signedIn { world, caller in
      #expect(try await output(world, "restored", "now", as: "-") == "signed-out\n")
      #expect(try await output(world, "restored", "now", as: "org.example.App") == "signed-out\n")
      #expect(try await output(world, "restored", "now", as: "") == "signed-in\n")
      // The service's stored items keep their attributes and their collection, so an upgrade loses no sign-in.
      let item = try #require(try await world.keyring.credentials()["default"])
      var attributes = item.attributes
      #expect(attributes.removeValue(forKey: "device")?.isEmpty == false)
      #expect(
        attributes == [
          "xdg:schema": "org.chappie.Credential", "service": "com.chappie.sdk", "account": "default",
          "access-group": "", "app-id": "", "accessibility": "when-unlocked-this-device-only", "version": "2",
        ])
      #expect(item.label == "ChatGPT sign-in (com.chappie.sdk, default)")

      _ = try await output(world, "sign-in", "", as: "-")
      #expect(try await output(world, "restored", "now", as: "-") == "signed-in\n")
      #expect(try await output(world, "restored", "now", as: "library-host") == "signed-in\n", "its name is its id")
      #expect(try await output(world, "restored", "now", as: "org.example.App") == "signed-out\n")
      _ = try await output(world, "sign-out", "now", as: "-")
      #expect(try await output(world, "restored", "now", as: "-") == "signed-out\n")
      #expect(try await caller.state() == "signed-in")
      #expect(try await caller.send("hi").contains("hi"))

      for account in ["work", "home"] {
        let host = try world.startLibraryHost("sign-in", "", as: "-", account: account)
        #expect(try await host.waitForEnd() == .exit(0), "\(host.output)")
      }
      #expect(try await output(world, "accounts", "now", as: "-") == "home\nwork\n")
      #expect(try await output(world, "accounts", "now", as: "") == "default\n")
      #expect(try await output(world, "accounts", "now", as: "org.example.App") == "")
    }
  }

  @Test func theGApplicationIdentifiesAProgram() async throws {
    try await World.with(World.Plan(service: .none)) { world in
      _ = try await output(world, "sign-in", "", as: "+org.example.App")
      #expect(try await output(world, "restored", "now", as: "org.example.App") == "signed-in\n")
      #expect(try await output(world, "restored", "now", as: "-") == "signed-out\n")
      let items = try await world.keyring.items()
      #expect(items.map { $0.attributes["app-id"] } == ["host:org.example.App"])
      #expect(items.map(\.label) == ["ChatGPT sign-in (org.example.App, default)"])
    }
  }

  @Test func aProgramsThreadsAreSeparateFromTheDesktopUsers() async throws {
    try await World.signedIn { world, caller in
      _ = try await output(world, "sign-in", "", as: "-")
      let thread: String = try await caller.call("Threads.Create", VariantDictionary()).member(0, "thread")
      _ = try await caller.call("Threads.Send", thread, "of the user", VariantDictionary())
      #expect(try await output(world, "list", "now", as: "-") == "")
      _ = try await output(world, "remember", "of the program", as: "-")
      #expect(try await output(world, "list", "now", as: "-") == "of the program\n")
      #expect(try await output(world, "list", "now", as: "") == "of the user\n")

      _ = try await output(world, "delete-all", "", as: "-")
      #expect(try await output(world, "list", "now", as: "-") == "")
      #expect(try await output(world, "list", "now", as: "") == "of the user\n")
    }
  }

  /// The program's output is its own. The library's log goes to the program under the library's own log domain.
  @Test(arguments: ["", "all"])
  func theLibraryPrintsNothing(_ debugging: String) async throws {
    try await World.with(World.Plan(service: .none)) { world in
      let host = try world.startLibraryHost("sign-in", "", as: "-", environment: ["G_MESSAGES_DEBUG": debugging])
      #expect(try await host.waitForEnd() == .exit(0))
      let lines = host.output.split(separator: "\n").filter { $0.contains("sealed with a new key") }
      #expect(lines.count == (debugging.isEmpty ? 0 : 1))
      #expect(lines.allSatisfy { $0.contains("library-host-INFO") })
      #expect(!host.output.contains("chappie-"))
    }
  }
}
