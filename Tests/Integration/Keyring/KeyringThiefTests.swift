// SPDX-License-Identifier: Apache-2.0

/// A sandboxed app with access to the keyring gets sealed items, and no key that opens them.
@Suite(.worlds) @GLibActor
struct KeyringThiefTests {
  private static let script = "Tests/attacks/open-seal.py"

  @Test(.sandboxes)
  func aSandboxedAppWithTheKeyringOpensNoSignIn() async throws {
    let (world, caller) = try await World.signedIn()
    #expect(try await caller.send("hi").contains("hi"))

    // The control: a program that can read the device key opens the same item.
    let outside = try await world.run("python3", SourceTree.path(of: Self.script), world.directories.state.path)
    #expect(outside.text == "opened with the machine id and device-key\n1 items \n")

    // As Flatpak does it: a proxy outside allows the keyring, and the sandbox has no home and no bus.
    let proxy = try await world.proxy(talkingTo: "org.freedesktop.secrets")
    var sandbox = try AppSandbox(app: "org.example.Thief", in: world.directories)
    sandbox.hides = [world.directories.home, world.directories.runtime]
    let inside = try await sandbox.run(
      "env", "DBUS_SESSION_BUS_ADDRESS=\(proxy)", "python3", SourceTree.path(of: Self.script),
      world.directories.state.path)
    #expect(inside.text == "closed\n1 items \n")
    let id = try await sandbox.run("cat", "/etc/machine-id")
    #expect(id.status == 0, "that much it can read")

    // It can read all attributes too.
    let item = try #require(try await world.keyring.credentials()["default"])
    let key = try Data(contentsOf: world.directories.deviceKey)
    let shown = ([item.label, String(decoding: item.secret, as: UTF8.self)] + item.attributes.values).joined(
      separator: "\n")
    #expect(!shown.contains(id.text.prefix(32)))
    #expect(!shown.contains(key.map { String(format: "%02x", $0) }.joined()))
    #expect(!shown.contains(key.base64EncodedString().prefix(40)))
  }
}
