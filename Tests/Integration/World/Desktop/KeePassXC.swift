// SPDX-License-Identifier: Apache-2.0

/// KeePassXC as the Secret Service of a world, with one database that its user has exposed and unlocked. It has no
/// visible windows.
@GLibActor
final class KeePassXC {
  private static let password = "password"
  private static let name = "org.freedesktop.secrets"
  private static let window = "org.keepassxc.KeePassXC.MainWindow"
  private static let path = ObjectPath.root.appending("org").appending("freedesktop").appending("secrets")
  private static let collection = path.appending("collection").appending("passwords")

  private let directories: WorldDirectories
  private let bus: BusConnection

  init(in world: World) async throws {
    directories = world.directories
    bus = try await BusConnection.open(address: directories.busAddress)
    try await makeDatabase()
    try writeSettings()
    // Its lock against a second instance is in the temporary directory.
    let environment = ["QT_QPA_PLATFORM": "offscreen", "TMPDIR": directories.root.path]
    let process = try ChildProcess(
      "keepassxc", "keepassxc", ["--pw-stdin", database], in: directories, input: "\(Self.password)\n",
      environment: environment)
    // On exit it would ask for confirmation.
    world.adopt(ending: {
      process.send(SIGKILL)
      _ = try? await process.waitForEnd()
    })
    try await waitUntilLocked(false)
  }

  func lock() async throws {
    let answer = try await bus.call(
      Self.name, Self.path, "org.freedesktop.Secret.Service", "Lock", .tuple([Self.collection]))
    let prompt: ObjectPath = try answer.member(1, "prompt")
    try await bus.call(Self.name, prompt, "org.freedesktop.Secret.Prompt", "Prompt", .tuple(""))
    try await waitUntilLocked(true)
  }

  /// Unlocks as the user does by typing the password.
  func unlock() async throws {
    let window = ObjectPath.root.appending("keepassxc")
    try await bus.call(Self.window, window, Self.window, "openDatabase", .tuple(database, Self.password))
    try await waitUntilLocked(false)
  }

  private var database: String { directories.home.appending(path: "passwords.kdbx").path }

  private func waitUntilLocked(_ isLocked: Bool) async throws {
    try await eventually("KeePassXC to be \(isLocked ? "locked" : "unlocked")") {
      let value = try? await bus.property(
        Self.name, Self.collection, "org.freedesktop.Secret.Collection", "Locked")
      return (try? value?.unboxed.value(as: Bool.self)) == isLocked
    }
  }

  private func makeDatabase() async throws {
    let source = directories.home.appending(path: "passwords.xml")
    let group = UUID()
    let bytes = withUnsafeBytes(of: group.uuid) { Data($0) }.base64EncodedString()
    let root = withUnsafeBytes(of: UUID().uuid) { Data($0) }.base64EncodedString()
    let xml = """
      <?xml version="1.0" encoding="UTF-8"?>
      <KeePassFile>
        <Meta><CustomData><Item>
          <Key>FDO_SECRETS_EXPOSED_GROUP</Key><Value>{\(group.uuidString.lowercased())}</Value>
        </Item></CustomData></Meta>
        <Root><Group><UUID>\(root)</UUID><Name>Passwords</Name>
          <Group><UUID>\(bytes)</UUID><Name>Programs</Name></Group>
        </Group></Root>
      </KeePassFile>
      """
    try Data(xml.utf8).write(to: source)
    let twice = "\(Self.password)\n\(Self.password)\n"
    let process = try ChildProcess(
      "keepassxc-cli", "keepassxc-cli", ["import", "-p", "-t", "100", source.path, database], in: directories,
      input: twice)
    guard try await process.waitForEnd() == .exit(0) else { throw UnmetCondition("a database: \(process.output)") }
  }

  private func writeSettings() throws {
    let folder = directories.configuration.appending(path: "keepassxc")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let settings = """
      [General]
      ConfigVersion=2
      UpdateCheckMessageShown=true
      [GUI]
      CheckForUpdates=false
      [FdoSecrets]
      Enabled=true
      ConfirmAccessItem=false
      ConfirmDeleteItem=false

      """
    try Data(settings.utf8).write(to: folder.appending(path: "keepassxc.ini"))
  }
}
