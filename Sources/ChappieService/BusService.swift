// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import ServiceConfiguration

/// The service: its name and objects on the bus, from start to end.
@GLibActor
public final class BusService {
  public static let name = "org.chappie"

  private let connection: BusConnection
  private let environment: ServiceEnvironment
  private let root: BusObject

  /// Connects to the session bus as a service that untrusted programs call.
  ///
  /// - Throws: `GLibError`, `CancellationError`.
  public static func connect() async throws -> BusConnection {
    try await BusConnection.openGuarded(.session) { reason in
      BusError(.limitExceeded, "The message \(reason): send less at once.")
    }
  }

  /// Exports the objects, then takes the name, so that every caller that sees the name finds the objects.
  ///
  /// - Parameter ended: called when the service has nothing left to do, and the program should stop it.
  /// - Throws: `StartFailure` for a name that another program owns, `GLibError`.
  package init(
    _ connection: BusConnection, _ options: ServiceOptions, ended: @escaping @GLibActor () -> Void
  ) async throws {
    DesktopKeyring.policy = options.keyring
    self.connection = connection
    let environment = ServiceEnvironment(connection, options)
    self.environment = environment
    let accounts = Accounts(environment)
    let manager = ManagerObject(ObjectDirectory(environment, accounts), environment, ended: ended)
    let session = SessionObject(environment.defaults, environment)
    let client = environment.client(environment.defaults, sharing: .shared, session: ServicePaths.root)
    let rights = BusObject.Rights { [callers = environment.callers] request in
      if request.interface == ManagerObject.interface {
        try await callers.authorizeManager(request)
      } else {
        try await callers.authorizeUser(request.sender)
      }
    } shows: { [callers = environment.callers] interface, caller in
      if interface == ManagerObject.interface { true } else { await callers.mayUseShared(caller) }
    }
    root = try connection.export(ServicePaths.root, [manager, session, accounts] + client.interfaces, rights)
    guard try await connection.requestName(Self.name) == .owner else {
      throw StartFailure(description: "Another program owns the name \(Self.name): is the service running already?")
    }
    SlotRegistry.keepIdleSignIns()
    SlotRegistry.revokeUnusedSignIns(environment.defaults)
  }

  /// Whether a turn runs or somebody is signing in.
  private var isBusy: Bool {
    !environment.callers.runningTurns.isEmpty || SlotRegistry.isSigningIn
  }

  /// Waits for the end of turns and sign-ins, then releases the name, so that the next call starts the successor.
  ///
  /// Calls that came before the release are still answered, and their turns go on for a minute at most.
  public func handOver() async throws {
    while isBusy { try await sleep(for: Self.idleCheck) }
    try? await connection.releaseName(Self.name)
    let end = ContinuousClock.now + .seconds(60)
    while isBusy || !connection.objects.isIdle, ContinuousClock.now < end {
      try await sleep(for: Self.idleCheck)
    }
  }

  /// The time between two looks at whether the service is idle. It delays an upgrade only.
  private static let idleCheck = Duration.milliseconds(200)

  /// The longest wait at the end for callers that do not read the sockets of their turns.
  private static let flushPatience = Duration.seconds(1)

  /// Ends every turn with `Failed`, and returns once all signals have left this process.
  public func stop() async {
    let turns = environment.callers.runningTurns
    for turn in turns { turn.cancel() }
    for turn in turns { await turn.end.value() }
    try? await withDeadline(Self.flushPatience) { for turn in turns { await turn.outlet.flush() } }
    await environment.notifications?.withdraw()
    try? await connection.releaseName(Self.name)
    try? await connection.flush()
    // The tokens of a refresh exist nowhere else until they are stored.
    await SlotRegistry.settle()
  }
}
