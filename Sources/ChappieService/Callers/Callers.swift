// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import Platform

/// The callers of the service. It ends their turns and closes their objects when they leave the bus.
@GLibActor
final class Callers {
  private final class Caller {
    enum Identification {
      case running(Wait)
      /// The first call after `end` inspects the caller again; nil for a finding that stays.
      case done(CallerInspector.Finding, end: ContinuousClock.Instant?)
    }

    /// Nil before and after its time on the bus.
    var watch: Observation?
    var identification: Identification?
    var openObjects: [ObjectPath: Budget.Lease] = [:]
    var runningTurns: [String: (turn: ServiceTurn, lease: Budget.Lease)] = [:]
    var partings: [Parting] = []
    var isDenialLogged = false

    /// Nil before the end of the first inspection, and during another one.
    var finding: CallerInspector.Finding? {
      if case .done(let finding, _)? = identification { finding } else { nil }
    }
  }

  /// What an object does once a caller has left.
  private struct Parting {
    private(set) weak var object: AnyObject?
    let action: @GLibActor () -> Void
  }

  /// The shortest time between two inspections of a caller that could not be inspected.
  private static let pauseAfterFailure = Duration.milliseconds(200)
  /// The number of further inspections before the calls are refused for the moment.
  private static let furtherLooks = 5

  let connection: BusConnection
  private let inspector: CallerInspector
  private var callers: [String: Caller] = [:]
  private let objects = Budget(Limits.openObjects)
  private let turns = Budget(Limits.runningTurns)
  private let queries = Budget(Limits.queries)
  private let threadRate = RateLimit { Limits.threadRate($0) }
  private let pageRate = RateLimit { Limits.pageRate($0) }
  private let requestRate = RateLimit<String> { _ in Limits.requestRate }
  /// Closes an object that a caller had open when it left.
  var close: @GLibActor (_ object: ObjectPath, _ caller: String) -> Void = { _, _ in }

  init(_ connection: BusConnection) {
    self.connection = connection
    inspector = CallerInspector(connection: connection)
    let refusals = (
      calls: BusError(
        .limitExceeded, "Too many calls of this program wait for their answers: wait for some before you make more."),
      files: BusError(
        .limitExceeded, "Too many calls with files wait for their answers: wait for some before you send more.")
    )
    connection.objects.use(refusals: refusals, methodsWithFiles: Attachments.methods) { [weak self] name in
      await self?.group(of: name) ?? (name, false)
    } noObject: { [weak self] path, name in
      await self?.noObject(at: path, for: name) ?? BusError(CancellationError())
    }
  }

  /// All connections of an application take turns as one.
  private func group(of name: String) async -> BusObjects.Group {
    var finding = await finding(on: name)
    for _ in 0..<Self.furtherLooks {
      guard finding.identity.isForNow else { break }
      try? await sleep(for: Self.pauseAfterFailure)
      finding = await self.finding(on: name)
    }
    return ("\(finding.application)", !finding.identity.isForNow)
  }

  // MARK: Identity

  /// The identity of `name`. It is determined once and kept until the caller leaves the bus.
  func identity(of name: String) async -> CallerIdentity {
    await finding(on: name).identity
  }

  /// The application to which the limits count `name`.
  func application(of name: String) async -> Application {
    await finding(on: name).application
  }

  private func finding(on name: String) async -> CallerInspector.Finding {
    let caller = caller(name)
    switch caller.identification {
    case nil: identify(caller, name)
    case .done(_, let end?)? where end <= .now: identify(caller, name)
    case .running?, .done?: break
    }
    // Waiting calls resume in order, so that calls take effect in the order in which they were made.
    if case .running(let end)? = caller.identification { await end.value() }
    return caller.finding ?? .unidentified(Unidentified("is being looked at", isForNow: true))
  }

  /// The callers outside of sandboxes that are still on the bus.
  var unsandboxed: [String] {
    callers.filter { $0.value.watch != nil && $0.value.finding?.identity == .unsandboxed }.map(\.key)
  }

  /// Notes a refusal of `name`, and returns whether it is the first one. A caller that has left the bus is forgotten.
  func isFirstDenial(of name: String) -> Bool {
    let caller = caller(name)
    defer { caller.isDenialLogged = true }
    return !caller.isDenialLogged
  }

  private func identify(_ caller: Caller, _ name: String) {
    let end = Wait()
    caller.identification = .running(end)
    Task.onGLib { [inspector] in
      let finding = await inspector.inspect(name)
      caller.identification = .done(finding, end: finding.identity.isForNow ? .now + Self.pauseAfterFailure : nil)
      end.finish()
    }
  }

  // MARK: Objects

  /// Reserves one more open object for `name`.
  ///
  /// - Throws: `BusError` with `LimitExceeded`.
  func leaseObject(_ name: String) async throws -> Budget.Lease {
    try objects.lease(for: await application(of: name), of: "sessions and clients open")
  }

  func add(_ object: ObjectPath, _ lease: Budget.Lease, to name: String) {
    caller(name).openObjects[object] = lease
  }

  /// - Returns: false when the caller did not open the object.
  func remove(_ object: ObjectPath, from name: String) -> Bool {
    callers[name]?.openObjects.removeValue(forKey: object) != nil
  }

  // MARK: Turns

  /// Reserves one more running turn for `name`.
  ///
  /// - Throws: `BusError` with `LimitExceeded`.
  func leaseTurn(_ name: String) async throws -> Budget.Lease {
    try turns.lease(for: await application(of: name), of: "turns running")
  }

  /// Counts `turn` until it ends. When its caller leaves, the turn is cancelled. If it is broadcast it goes on: in
  /// the background, unless a person waits for it at a terminal.
  func add(_ turn: ServiceTurn, _ lease: Budget.Lease) {
    caller(turn.caller).runningTurns[turn.id] = (turn, lease)
  }

  /// Whether a running turn of the caller has this id, on any object.
  func hasTurn(_ key: TurnKey) -> Bool {
    callers[key.caller]?.runningTurns[key.id] != nil
  }

  func remove(_ turn: ServiceTurn) {
    callers[turn.caller]?.runningTurns[turn.id] = nil
    forgetIfGone(turn.caller)
  }

  /// The running turns of all callers.
  var runningTurns: [ServiceTurn] {
    callers.values.flatMap { $0.runningTurns.values.map(\.turn) }
  }

  /// Runs `query`, which sends a request to the backend for `name`.
  ///
  /// - Throws: `BusError` with `LimitExceeded`, and the errors of `query`.
  func querying<Result>(_ name: String, _ query: () async throws -> Result) async throws -> Result {
    let lease = try queries.lease(for: await application(of: name), of: "questions to the server waiting")
    defer { withExtendedLifetime(lease) {} }
    return try await query()
  }

  /// Counts one more request to the backend, or a retry, for an application; false if it has to wait.
  func allowsRequest(of application: String) -> Bool { requestRate.allows(application) }

  /// Counts one more new thread of `name`.
  ///
  /// - Throws: `BusError` with `LimitExceeded`.
  func beginsThread(_ name: String) async throws {
    guard threadRate.allows(await application(of: name)) else {
      throw BusError(.limitExceeded, en("This program begins threads too fast: wait a moment before the next."))
    }
  }

  /// Counts a page that the user's browser opens for the caller.
  ///
  /// - Throws: `BusError` with `LimitExceeded`.
  func opensPage(_ name: String) async throws {
    guard pageRate.allows(await application(of: name)) else {
      throw BusError(
        .limitExceeded, "This program opens pages in the browser too fast: wait a moment, or open the page yourself.")
    }
  }

  // MARK: Leaving

  /// Calls `action` once `name` has left the bus, if `object` still exists.
  func whenLeft(_ name: String, _ object: AnyObject, _ action: @escaping @GLibActor () -> Void) {
    let caller = caller(name)
    caller.partings.removeAll { $0.object == nil }
    caller.partings.append(Parting(object: object, action: action))
  }

  private func caller(_ name: String) -> Caller {
    let caller = callers[name] ?? Caller()
    if caller.watch != nil { return caller }
    callers[name] = caller
    // The handler runs at once for a name that has left already.
    caller.watch = connection.watchName(name) { [weak self] owner in
      if owner == nil { self?.left(name) }
    }
    return caller
  }

  private func left(_ name: String) {
    guard let caller = callers[name] else { return }
    connection.objects.forget(name)
    for object in caller.openObjects.keys { close(object, name) }
    for (turn, _) in caller.runningTurns.values {
      switch (turn.isBroadcast, caller.finding?.isAtTerminal ?? false) {
      case (false, _): turn.cancel()
      case (true, false): turn.callerLeft()
      case (true, true): break
      }
    }
    for parting in caller.partings where parting.object != nil { parting.action() }
    caller.openObjects = [:]
    caller.partings = []
    caller.watch = nil
    forgetIfGone(name)
  }

  /// The broadcast turns of a caller outlive it.
  private func forgetIfGone(_ name: String) {
    guard let caller = callers[name], caller.runningTurns.isEmpty, caller.watch == nil else { return }
    callers[name] = nil
  }
}
