// SPDX-License-Identifier: Apache-2.0

/// A program on the bus that uses the service and keeps every signal that it receives.
@GLibActor
final class Caller {
  let connection: BusConnection
  private(set) var signals: [BusSignal] = []
  private var subscription: Observation?
  private var arrival = Wait()

  init(_ address: String) async throws {
    connection = try await BusConnection.open(address: address)
    subscription = connection.subscribe(BusConnection.Match()) { [weak self] in self?.receive($0) }
    // The bus replies after it has added the subscription, so every later signal arrives.
    _ = try await connection.owner(of: DBus.name)
  }

  // MARK: Calling

  /// Calls a method such as `Client.Send`.
  ///
  /// - Parameter interactive: allows the service to prompt the user.
  @discardableResult
  func call(
    _ member: String, _ arguments: any VariantConvertible..., at path: ObjectPath = .chappie, interactive: Bool = false,
    timeout: Duration = patience
  ) async throws -> Variant {
    let names = member.split(separator: ".").map(String.init)
    return try await connection.call(
      "org.chappie", path, "org.chappie.\(names[0])", names[1], .tuple(arguments.map(\.variant)), timeout: timeout,
      interactive: interactive)
  }

  /// Reads a property such as `Session.State`.
  func property<Value: VariantConvertible>(
    _ member: String, at path: ObjectPath = .chappie, as type: Value.Type = Value.self
  ) async throws -> Value {
    let names = member.split(separator: ".").map(String.init)
    return try await connection.property(
      "org.chappie", path, "org.chappie.\(names[0])", names[1], timeout: patience
    ).value()
  }

  /// The whole answer to `text`.
  func send(_ text: String, _ options: VariantDictionary = [:], at path: ObjectPath = .chappie) async throws -> String {
    try await call("Client.Send", text, options, at: path).member(0, "answer")
  }

  func open(_ kind: String, _ configuration: VariantDictionary = [:]) async throws -> ObjectPath {
    try await call("Manager.Open\(kind)", configuration).member(0, "object")
  }

  // MARK: The sign-in

  /// Starts a sign-in and returns its code.
  func startSignIn(_ options: VariantDictionary = [:], at path: ObjectPath = .chappie) async throws -> String {
    try await call("Session.StartDeviceCodeSignIn", options, at: path).member(0, "user_code")
  }

  /// Signs in where the stand-in approves at once.
  func signIn(at path: ObjectPath = .chappie) async throws {
    _ = try await startSignIn(at: path)
    try await waitFor("linked", "Session.DeviceLinkState", at: path)
  }

  func state(at path: ObjectPath = .chappie) async throws -> String {
    try await property("Session.State", at: path)
  }

  func lastError(at path: ObjectPath = .chappie) async throws -> VariantDictionary {
    try await property("Session.LastError", at: path)
  }

  /// `SignInStep`, and the expiry apart from it.
  func signInStep() async throws -> (step: VariantDictionary, expiry: Variant?) {
    var step: VariantDictionary = try await property("Session.SignInStep")
    let expiry = step["expires_at"]
    step.remove("expires_at")
    return (step, expiry)
  }

  /// `can_ask`, `action` and `reason` of `Availability`.
  func availability() async throws -> [String] {
    let values: VariantDictionary = try await property("Session.Availability")
    return [try values.value("can_ask") == true ? "can" : "cannot", values.text("action"), values.text("reason")]
      .compactMap(\.self)
  }

  /// Waits until a property has a value.
  func waitFor(_ value: String, _ member: String = "Session.State", at path: ObjectPath = .chappie) async throws {
    try await eventually("\(member) at \(path) to be \(value)") {
      try await property(member, at: path, as: String.self) == value
    }
  }

  // MARK: Signals

  /// Waits for a signal of one of these names, which may be here already.
  @discardableResult
  func signal(
    _ members: String..., at path: ObjectPath? = nil, where matches: (BusSignal) throws -> Bool = { _ in true }
  ) async throws -> BusSignal {
    let clock = ContinuousClock()
    let deadline = clock.now + patience
    while true {
      if let signal = try members.flatMap({ signals($0, at: path) }).first(where: matches) { return signal }
      guard clock.now < deadline else { throw UnmetCondition("\(members); there were \(signals.map(\.member))") }
      let arrival = arrival
      let timer = GLibBridge.Timer(after: deadline - clock.now) { arrival.finish() }
      await arrival.value()
      timer.cancel()
    }
  }

  /// The signals of one name so far.
  func signals(_ member: String, at path: ObjectPath? = nil) -> [BusSignal] {
    signals.filter { $0.member == member && (path == nil || $0.path == path) }
  }

  /// Waits for all signals that the service has sent before.
  func catchUp() async throws {
    _ = try await property("Manager.Version", as: UInt32.self)
  }

  private func receive(_ signal: BusSignal) {
    signals.append(signal)
    let arrived = arrival
    arrival = Wait()
    arrived.finish()
  }
}

extension ObjectPath {
  static let chappie = ObjectPath.root.appending("org").appending("chappie")
}

/// The service's error reply to a refused call.
struct ErrorReply {
  /// The error's name without the prefix `org.chappie.Error.`.
  let name: String
  let message: String

  init(_ error: GLibError) {
    let name = error.busName ?? "\(error.domain) \(error.code)"
    self.name = name.hasPrefix("org.chappie.Error.") ? String(name.dropFirst("org.chappie.Error.".count)) : name
    message = error.message
  }
}

/// The refusal of a call that must fail.
@GLibActor
func refusal<Result>(
  sourceLocation: SourceLocation = #_sourceLocation, of call: () async throws -> Result
) async throws -> ErrorReply {
  do {
    let result = try await call()
    Issue.record("The call succeeded with \(result)", sourceLocation: sourceLocation)
    throw UnmetCondition("a refusal")
  } catch let error as GLibError {
    return ErrorReply(error)
  }
}

/// Makes a call that the service must refuse with the error `name`.
@GLibActor
func expectRefusal<Result>(
  _ name: String, _ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation,
  of call: () async throws -> Result
) async throws {
  let reply = try await refusal(sourceLocation: sourceLocation, of: call)
  guard reply.name != name else { return }
  let about = comment.map { " (\($0))" } ?? ""
  Issue.record("\(reply.name) instead of \(name)\(about): \(reply.message)", sourceLocation: sourceLocation)
}

extension VariantDictionary {
  /// The text at `key`; nil when there is none.
  func text(_ key: String) -> String? { try? value(key) }
}

extension World {
  /// A caller in another process. The service sees all callers of ``caller()`` as one program, this test's.
  func otherProgram() async throws -> Caller {
    let socket = try directories.newLog("other").deletingPathExtension().path
    let proxy = try ChildProcess("other", "xdg-dbus-proxy", [directories.busAddress, socket], in: directories)
    adopt(proxy)
    try await eventually("the other program") {
      guard proxy.end == nil else { throw UnmetCondition("another program; it wrote \(proxy.output)") }
      return (try? await BusConnection.open(address: "unix:path=\(socket)")) != nil
    }
    return try await Caller("unix:path=\(socket)")
  }
}

/// The accessibility of a credential, by its name on the bus.
enum Accessibility: String, CaseIterable {
  case whenUnlocked = "when-unlocked-this-device-only"
  case afterFirstUnlock = "after-first-unlock-this-device-only"
}

extension Caller {
  /// Signs in to an account with the given accessibility, and returns its session.
  @discardableResult
  func signIn(_ accessibility: Accessibility, account: String = "default") async throws -> ObjectPath {
    let session = try await open(
      "Session", ["keychain_account": account.variant, "keychain_accessibility": accessibility.rawValue.variant])
    try await signIn(at: session)
    return session
  }

  /// Signs in to an account, and returns its session.
  @discardableResult
  func signIn(account: String) async throws -> ObjectPath {
    let session = try await open("Session", ["keychain_account": account])
    try await signIn(at: session)
    return session
  }

  /// The address of the signed-in user; nil when it is unknown.
  func email(at path: ObjectPath = .chappie) async throws -> String? {
    try await property("Session.AccountInfo", at: path, as: VariantDictionary.self).text("email")
  }
}
