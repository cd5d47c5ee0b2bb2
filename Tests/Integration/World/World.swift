// SPDX-License-Identifier: Apache-2.0

/// A desktop session for one test: home, bus, keyring, stand-in backend and service, all real.
///
/// All its processes and directories are removed at the end of the test, also when the test throws.
@GLibActor
final class World {
  let plan: Plan
  let directories: WorldDirectories
  let bus: PrivateBus
  let keyring: Keyring
  let sandbox: Sandbox
  let service: ServiceProcess
  private var callers: [Caller] = []
  private var endings: [@GLibActor () async -> Void] = []

  private init(_ plan: Plan) throws {
    self.plan = plan
    directories = try WorldDirectories()
    bus = PrivateBus(directories)
    keyring = Keyring(directories)
    sandbox = Sandbox(directories, plan.sandboxArguments)
    service = ServiceProcess(directories, plan.environment)
  }

  /// A world with the configuration `plan`, which ends with the test that runs.
  static func begin(_ plan: Plan = Plan()) async throws -> World {
    try await #require(RunningTest.worlds, "the suite has the trait .worlds").add(plan) { try World(plan) }
  }

  /// Such a world, with a program whose default account is signed in.
  static func signedIn(_ plan: Plan = Plan()) async throws -> (World, Caller) {
    let world = try await begin(plan)
    return (world, try await world.signedInCaller())
  }

  /// Such a world and program, with answers over `transport`.
  static func signedIn(_ transport: Plan.Transport) async throws -> (World, Caller) {
    try await signedIn(Plan(transport: transport))
  }

  /// Runs `body` in such a world.
  static func with(_ plan: Plan = Plan(), _ body: @GLibActor (World) async throws -> Void) async throws {
    try await body(begin(plan))
  }

  /// Runs `body` in such a world, with a program whose default account is signed in.
  static func signedIn(
    _ plan: Plan = Plan(), _ body: @GLibActor (World, Caller) async throws -> Void
  ) async throws {
    let (world, caller) = try await signedIn(plan)
    try await body(world, caller)
  }

  // MARK: Callers

  /// A new program on the bus.
  func caller() async throws -> Caller {
    let caller = try await Caller(directories.busAddress)
    callers.append(caller)
    return caller
  }

  /// A program on the bus whose default account is signed in.
  func signedInCaller() async throws -> Caller {
    let caller = try await caller()
    try await caller.signIn()
    return caller
  }

  /// Ends a process with this world.
  func adopt(_ process: ChildProcess) {
    adopt { await process.terminate() }
  }

  /// Keeps a part of the desktop until this world ends, because a program may call it at any time.
  func keep(_ part: some AnyObject & Sendable) {
    adopt(ending: { withExtendedLifetime(part) {} })
  }

  /// Runs `ending` at the end of this world.
  func adopt(ending: @escaping @GLibActor () async -> Void) {
    endings.append(ending)
  }

  /// Runs a program of the desktop, such as `gdbus`, in this world.
  func run(_ program: String, _ arguments: String...) async throws -> Output {
    try await Output.of(program, arguments, in: directories)
  }

  // MARK: Beginning and end

  func start() async throws {
    try await bus.start()
    async let keyring: Void = plan.keyring == .unlocked ? keyring.start() : ()
    try await sandbox.start()
    try await keyring
    let transport = plan.transport == .webSocket ? "" : "[Client]\nTransport=\(plan.transport.rawValue)\n"
    let configuration = transport + plan.configuration
    if !configuration.isEmpty { try directories.configure(configuration) }
    switch plan.service {
    case .running: try await service.start(sandbox.addresses)
    case .activatable: try service.makeActivatable(sandbox.addresses)
    case .none: break
    }
  }

  func end() async {
    callers = []
    for ending in endings { await ending() }
    await service.end()
    async let ends: Void = sandbox.end()
    await keyring.end()
    await ends
    await bus.end()
    await directories.sweep()
    for line in directories.complaints { Issue.record("A program of ours: \(line)") }
    if RunningTest.worlds?.hasFailed == true { directories.printLogs() }
    directories.remove()
  }
}

extension World {
  /// The configuration of a world.
  struct Plan {
    enum KeyringPlan {
      case unlocked
      case none
    }

    enum Transport: String, CaseIterable {
      case webSocket = "default"
      case http = "http-sse-only"
    }

    enum ServicePlan {
      /// The service starts with the world.
      case running
      /// The bus starts the service at its first call.
      case activatable
      case none
    }

    var keyring = KeyringPlan.unlocked
    var service = ServicePlan.running
    /// The transport of answers.
    var transport = Transport.webSocket
    /// The stand-in approves each sign-in at once, and answers as fast as the client reads.
    var sandboxArguments = ["--auto-approve", "--rate", "0"]
    /// The content of `chappie.conf` except the transport.
    var configuration = ""
    /// Added to the service's environment.
    var environment: [String: String] = [:]
    /// Whether the test takes minutes.
    var isLong = false

    /// Each sign-in waits for approval.
    static let attended = Plan(sandboxArguments: ["--interval", "1", "--rate", "0"])
    /// Each access token is due for a refresh when it is issued.
    static let shortTokens = Plan(sandboxArguments: ["--auto-approve", "--rate", "0", "--access-token-lifetime", "60"])
    /// For a ``FakeKeyring``, which encrypts nothing.
    static let fakeKeyring = Plan(keyring: .none, configuration: allowingPlainSessions)
    static let allowingPlainSessions = "[Keyring]\nPlainSession=allow\n"
    /// The service is started by its first call.
    static let activatable = Plan(service: .activatable)
  }
}

extension World.Plan.Transport {
  /// A configuration without retries and without the fallback.
  var impatient: VariantDictionary { reconnecting(0) }

  /// A configuration without retries, without the fallback, and with this number of reconnections.
  func reconnecting(_ attempts: Int32, fallsBack: Bool = false) -> VariantDictionary {
    let transport: VariantDictionary = [
      "prefers_web_socket": self == .webSocket, "max_web_socket_reconnection_attempts": attempts,
      "falls_back_to_http_sse": fallsBack,
    ]
    return [
      "streaming_transport_policy": transport,
      "rate_limit_backoff": ["max_retries": Int32(0)] as VariantDictionary,
    ]
  }
}
