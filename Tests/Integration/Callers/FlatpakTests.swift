// SPDX-License-Identifier: Apache-2.0

/// The service recognises the sandboxes of the installed Flatpak, with an app and a runtime that the test makes.
@Suite(.worlds, .enabled(if: Programs.exist("flatpak"), "flatpak is not installed"), .sandboxes) @GLibActor
struct FlatpakTests {
  private static let app = "org.example.App"

  /// Flatpak asks the system bus whether a parent has forbidden the app, and accepts a missing answer only from a bus
  /// that runs.
  private static let environment = "DBUS_SYSTEM_BUS_ADDRESS=$DBUS_SESSION_BUS_ADDRESS"

  /// A runtime with a few programs of this machine, and an app that is a shell.
  private static let install = """
    set -eu
    export \(environment)
    mkdir runtime runtime/files runtime/usr runtime/usr/bin app app/files app/export
    for program in sh sleep gdbus; do
      program=$(command -v $program)
      cp -L "$program" runtime/usr/bin
      ldd "$program" | sed -n 's,^[^/]*\\(/[^ ]*\\).*,\\1,p' | while read -r library; do
        place=runtime/usr/${library#/usr/}
        mkdir -p "${place%/*}"
        cp -L "$library" "$place"
      done
    done
    arch=$(flatpak --default-arch)
    runtime=org.example.Platform/$arch/1
    printf '[Runtime]\\nname=org.example.Platform\\nruntime=%s\\nsdk=%s\\n' "$runtime" "$runtime" >runtime/metadata
    printf '[Application]\\nname=\(app)\\nruntime=%s\\nsdk=%s\\ncommand=sh\\n' "$runtime" "$runtime" >app/metadata
    printf '[Session Bus Policy]\\norg.chappie=talk\\n' >>app/metadata
    flatpak build-export --disable-sandbox --runtime repository runtime 1
    flatpak build-export --disable-sandbox repository app 1
    flatpak build-update-repo repository
    flatpak --user remote-add --no-gpg-verify here repository
    flatpak --user install --noninteractive here \(app)//1
    """

  @Test func appsOfTheInstalledFlatpakAreRecognised() async throws {
    let (world, outside) = try await World.signedIn()
    let installed = try await world.run("sh", "-c", Self.install)
    try #require(installed.status == 0, "\(installed.text)")

    // A call from inside the sandbox.
    let calls = """
      call() { gdbus call --session --dest org.chappie --object-path /org/chappie --method "$@" 2>&1; }
      call org.freedesktop.DBus.Properties.Get org.chappie.Manager Version
      call org.freedesktop.DBus.Properties.Get org.chappie.Session State
      call org.chappie.Manager.OpenSession '{}'
      """
    let answers = try await Output.of("sh", Self.run(Self.app, "-c", calls), in: world.directories)
    #expect(answers.text.contains("(<uint32 1>,)\n"))
    #expect(answers.text.contains("org.chappie.Error.AccessDenied: \(Self.app) runs in a sandbox"))
    #expect(answers.text.contains("(objectpath '/org/chappie/session/"))

    // A call through Flatpak's proxy, whose process is the one that the bus sees.
    let running = Self.run("--die-with-parent", Self.app, "-c", "sleep 600")
    world.adopt(try ChildProcess("flatpak", "sh", running, in: world.directories))
    let app = try await Caller(try await proxy(of: world))
    try await expectRefusal("AccessDenied") { try await app.send("hi") }
    try await app.signIn(at: app.open("Session"))
    let client = try await app.open("Client")
    #expect(try await app.send("hi", at: client).contains("hi"))
    let owners = try await world.keyring.items().map { $0.attributes["app-id"] ?? "" }
    #expect(owners.sorted() == ["", Self.app])
    #expect(try await outside.state() == "signed-in")
  }

  /// The arguments of a shell that becomes Flatpak.
  private static func run(_ arguments: String...) -> [String] {
    ["-c", "\(environment) exec flatpak --user run \"$@\"", "sh"] + arguments
  }

  /// The address of the running app's proxy.
  private func proxy(of world: World) async throws -> String {
    let sockets = world.directories.runtime.appending(path: ".dbus-proxy").path
    var address: String?
    try await eventually("Flatpak's proxy") {
      for name in (try? FileManager.default.contentsOfDirectory(atPath: sockets)) ?? [] where name.hasPrefix("session")
      {
        let candidate = "unix:path=\(sockets)/\(name)"
        if (try? await BusConnection.open(address: candidate)) != nil { address = candidate }
      }
      return address != nil
    }
    return try #require(address)
  }
}
