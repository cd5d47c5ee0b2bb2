// SPDX-License-Identifier: Apache-2.0

/// Access groups: apps share a credential as the administrator who installs the apps allows.
@Suite(.worlds, .sandboxes) @GLibActor
struct AccessGroupTests {
  private static let app = "org.example.App"
  private static let widget = "org.example.Widget"
  static let group = "TEAMID.com.example.shared"
  private static let shared: VariantDictionary = ["keychain_access_group": group]

  /// Writes the group's definition in the user's configuration directory, or removes it when `members` is nil.
  static func define(_ members: [String]?, in directory: URL, file: String = "example.conf") throws {
    let groups = directory.appending(path: "chappie/access-groups.d")
    let path = groups.appending(path: file)
    guard let members else { return try FileManager.default.removeItem(at: path) }
    try FileManager.default.createDirectory(at: groups, withIntermediateDirectories: true)
    try "[Access Group]\nName=\(Self.group)\nMembers=\(members.joined(separator: ";"))\n"
      .write(to: path, atomically: true, encoding: .utf8)
  }

  // MARK: Sharing

  @Test func membersShareOneCredential() async throws {
    let world = try await World.begin()
    try Self.define([Self.app, Self.widget], in: world.directories.configuration)
    let app = try await world.caller(app: Self.app)
    let session = try await app.open("Session", Self.shared)
    try await app.signIn(at: session)
    let widget = try await world.caller(app: Self.widget)
    let other = try await widget.open("Session", Self.shared)
    #expect(try await widget.state(at: other) == "signed-in")
    let client = try await widget.open("Client", Self.shared)
    #expect(try await widget.send("hi", at: client).contains("hi"))
    // Each app has its own object for the one slot.
    #expect(other != session)
    try await expectRefusal("AccessDenied") { try await widget.state(at: session) }

    let item = try #require(try await world.keyring.items().first)
    #expect(try await world.keyring.items().count == 1)
    #expect(item.attributes["access-group"] == Self.group)
    #expect(item.attributes["app-id"] == "")

    try await widget.call("Session.SignOut", at: other)
    #expect(try await app.state(at: session) == "signed-out")
    #expect(try await world.keyring.items().isEmpty)

    // The registration of a sign-in in the browser belongs to one developer's application.
    let options: VariantDictionary = ["open": false, "notify": false]
    try Self.define([Self.app, "com.other.App"], in: world.directories.configuration)
    try await expectRefusal("AccessDenied") {
      try await app.call("Session.StartBrowserSignIn", options, at: session)
    }
    try Self.define([Self.app, Self.widget], in: world.directories.configuration)
    try await app.call("Session.StartBrowserSignIn", options, at: session)
    try await app.call("Session.CancelSignIn", at: session)
  }

  /// Programs outside a sandbox are not isolated from each other, so a list of them would give no protection.
  @Test func aGroupsCredentialIsSeparateFromTheProgramsOwn() async throws {
    let world = try await World.begin()
    try Self.define([Self.app], in: world.directories.configuration)
    let outside = try await world.caller()
    try await outside.signIn(at: try await outside.open("Session", Self.shared))
    let app = try await world.caller(app: Self.app)
    let client = try await app.open("Client", Self.shared)
    #expect(try await app.send("hi", at: client).contains("hi"))
    let own = try await app.open("Session")
    #expect(try await app.state(at: own) == "signed-out")
    #expect(try await outside.state() == "signed-out")
    try await app.signIn(at: own)
    try await outside.signIn()
    #expect(try await world.keyring.items().map { $0.attributes["app-id"] ?? "" }.sorted() == ["", "", Self.app])
    try await app.call("Session.SignOut", at: try await app.open("Session", Self.shared))
    #expect(try await app.state(at: own) == "signed-in")
    #expect(try await outside.state() == "signed-in")
  }

  // MARK: Refusing

  @Test func anAppThatIsNotAMemberIsRefused() async throws {
    let world = try await World.begin()
    try Self.define([Self.app], in: world.directories.configuration)
    let widget = try await world.caller(app: Self.widget)
    for kind in ["Session", "Client"] {
      let reason = "\(Self.widget) is no member of the access group '\(Self.group)'"
      try await expectRefusal("AccessDenied", saying: reason) { try await widget.open(kind, Self.shared) }
    }
    // It keeps access to its own credential.
    _ = try await widget.open("Client")
    let path: VariantDictionary = ["keychain_access_group": "../../etc/passwd"]
    try await expectRefusal("AccessDenied") { try await widget.open("Session", path) }
    try await expectRefusal("InvalidArgument") { try await widget.open("Session", ["keychain_access_group": ""]) }
  }

  // MARK: Changing

  @Test func aChangedDefinitionAppliesFromTheNextCall() async throws {
    let world = try await World.begin()
    let outside = try await world.caller()
    let configuration = world.directories.configuration
    let app = try await world.caller(app: Self.app)
    // The directory does not exist yet.
    for caller in [outside, app] {
      try await expectRefusal("AccessDenied", saying: "There is no access group '\(Self.group)'", "access-groups.d") {
        try await caller.open("Session", Self.shared)
      }
    }
    try Self.define([Self.app, Self.widget], in: configuration)
    let session = try await app.open("Session", Self.shared)
    let client = try await app.open("Client", Self.shared)
    try await app.signIn(at: session)
    let widget = try await world.caller(app: Self.widget)
    let other = try await widget.open("Client", Self.shared)
    #expect(try await widget.send("hi", at: other).contains("hi"))

    // A member is removed.
    try Self.define([Self.app], in: configuration)
    for call in [{ try await widget.send("hi", at: other) }, { try await widget.stream("hi", at: other).id }] {
      try await expectRefusal("AccessDenied", saying: "no member", of: call)
    }
    try await expectRefusal("AccessDenied") { try await widget.property("Client.Model", at: other, as: String.self) }
    #expect(try await app.send("hi", at: client).contains("hi"))
    // It can still close the object that it has open.
    try await widget.call("Manager.Close", other)

    // The group is removed.
    let outsides = try await outside.open("Session", Self.shared)
    try Self.define(nil, in: configuration)
    for caller in [(app, session), (outside, outsides)] {
      try await expectRefusal("AccessDenied", saying: "There is no access group") {
        try await caller.0.state(at: caller.1)
      }
    }
    try await expectRefusal("AccessDenied") { try await app.send("hi", at: client) }

    // The group comes back with its credential.
    try Self.define([Self.app], in: configuration)
    #expect(try await app.send("hi", at: client).contains("hi"))
  }

  // MARK: Files

  @Test func aUsersFileReplacesTheSystemsFileAndBadFilesAreSkipped() async throws {
    let data = FileManager.default.temporaryDirectory.appending(path: "chappie-data-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: data) }
    let environment = ["XDG_DATA_DIRS": "/nowhere:\(data.path)"]
    let world = try await World.begin(World.Plan(environment: environment))
    let configuration = world.directories.configuration
    try Self.define([Self.app], in: data, file: "app.conf")
    let app = try await world.caller(app: Self.app)
    let client = try await app.open("Client", Self.shared)
    try Self.define([], in: configuration, file: "app.conf")
    _ = try await refusal { try await app.property("Client.Model", at: client, as: String.self) }
    try Self.define(nil, in: configuration, file: "app.conf")
    _ = try await app.property("Client.Model", at: client, as: String.self)

    // A bad file is skipped and reported once, and again when it was repaired and is broken again.
    for count in 1...2 {
      try Self.define(["*"], in: configuration, file: "star.conf")
      for _ in 0..<5 { _ = try await app.property("Client.Model", at: client, as: String.self) }
      let log = try #require(world.service.process).output
      #expect(log.ranges(of: "star.conf is skipped: Members= has '*'").count == count, "\(log)")
      try Self.define(nil, in: configuration, file: "star.conf")
      _ = try await app.property("Client.Model", at: client, as: String.self)
    }
  }
}
