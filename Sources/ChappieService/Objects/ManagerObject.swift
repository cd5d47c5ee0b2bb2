// SPDX-License-Identifier: Apache-2.0
import ChappieBusInterfaces
import ChappieSDK
import GLibBridge

/// `org.chappie.Manager`: opens sessions and clients, and shows the lock.
@GLibActor
final class ManagerObject {
  static let interface = "org.chappie.Manager"

  /// The lock state as the properties show it.
  private struct Lock: Equatable {
    var state = ChappieLockState.unknown
    var sources: [String] = []
  }

  private let directory: ObjectDirectory
  private let exporter: ObjectExporter
  private let defaults: ChappieConfiguration
  /// Called when everything was erased, and the service has nothing left to do.
  private let ended: @GLibActor () -> Void
  private var check: Task<[ServerCheck.Answer], Never>?
  private let monitor = LockMonitor.shared
  private var lock = Lock()
  private weak var object: BusObject?

  init(
    _ directory: ObjectDirectory, _ exporter: ObjectExporter, defaults: ChappieConfiguration,
    ended: @escaping @GLibActor () -> Void
  ) {
    self.directory = directory
    self.exporter = exporter
    self.defaults = defaults
    self.ended = ended
  }

  func implementation() throws -> BusImplementation {
    try BusImplementation(
      BusInterfaceDescription(xml: BusInterfaceFiles.manager, name: Self.interface), owner: self,
      methods: [openingMethods, approvalMethods, careMethods].reduce(into: [:]) { all, some in
        all.merge(some) { first, _ in first }
      },
      properties: [
        "LockState": { [unowned self] in lock.state.rawValue.variant },
        "LockSources": { [unowned self] in lock.sources.variant },
        "Version": { UInt32(1).variant },
      ])
  }

  private var openingMethods: [String: BusImplementation.Method] {
    [
      "OpenSession": { [directory] call in
        .tuple(try await directory.openSession(try call.argument(0), for: call.sender))
      },
      "OpenClient": { [directory] call in
        .tuple(try await directory.openClient(try call.argument(0), for: call.sender))
      },
      "Close": { [directory] call in
        try directory.close(try call.argument(0), by: call.sender)
        return .tuple()
      },
    ]
  }

  /// The methods for unsandboxed programs, which may answer for every app. A sandboxed app answers only for itself.
  private var approvalMethods: [String: BusImplementation.Method] {
    [
      "ListApprovals": { [exporter] call in
        try await exporter.environment.callers.authorizeUser(call.sender)
        return .tuple(exporter.environment.approvals.list)
      },
      "GetApproval": { [exporter] call in
        try await exporter.environment.callers.authorizeUser(call.sender)
        return .tuple(try exporter.environment.approvals.details(of: try call.argument(0)))
      },
      "AnswerApproval": { [exporter] call in
        try await exporter.environment.callers.authorizeUser(call.sender)
        await LockMonitor.shared.ready()
        try exporter.environment.approvals.resolve(
          try call.argument(0), ChappieApprovalDecision(approved: call.argument(1), reason: call.argument(2)))
        return .tuple()
      },
    ]
  }

  /// The methods for unsandboxed programs that check the service, or list or erase what it keeps.
  private var careMethods: [String: BusImplementation.Method] {
    [
      "CheckServers": { [unowned self, exporter] call in
        try await exporter.environment.callers.authorizeUser(call.sender)
        return .tuple(await answersOfServers().map(\.dictionary))
      },
      "ListCredentials": { [unowned self, exporter] call in
        try await exporter.environment.callers.authorizeUser(call.sender)
        _ = try call.argument(0, as: VariantDictionary.self)
        return .tuple(try await credentials())
      },
      "SignOutApplication": { [exporter, defaults] call in
        try await exporter.environment.callers.authorizeUser(call.sender)
        let application: String = try call.argument(0)
        let options: VariantDictionary = try call.argument(1)
        let parts = try await Erasure.signOut(
          application, account: options.value("account"), defaults, interaction: call.interaction)
        guard !parts.isEmpty else {
          throw BusError(
            .invalidArgument,
            "There is no such sign-in of '\(Redaction.message(application))': ListCredentials lists those that there "
              + "are.")
        }
        return .tuple(parts.map(\.dictionary))
      },
      "SetBackgroundUse": { [exporter] call in
        try await exporter.environment.callers.authorizeUser(call.sender)
        let (id, word): (String, String) = (try call.argument(0), try call.argument(1))
        let app = AppID(id)
        guard app != nil || id.isEmpty else {
          throw BusError(.invalidArgument, "'\(Redaction.message(id))' is no id of an app in a sandbox.")
        }
        guard let choice = BackgroundConsent.Choice(rawValue: word) else {
          throw BusError(.invalidArgument, "Background use is set to allow, deny or ask.")
        }
        try exporter.environment.consent.set(choice, for: app)
        return .tuple()
      },
      "Erase": { [exporter, defaults, ended] call in
        try await exporter.environment.callers.authorizeUser(call.sender)
        _ = try call.argument(0, as: VariantDictionary.self)
        let parts = try await Erasure.run(defaults, interaction: call.interaction)
        // The reply leaves before the service does.
        Task.onGLib { ended() }
        return .tuple(parts.map(\.dictionary))
      },
    ]
  }

  /// The stored credentials, with the names of their apps and the user's answers on background use.
  private func credentials() async throws -> [VariantDictionary] {
    var list: [VariantDictionary] = []
    for credential in try await StoredCredential.all(defaults) {
      var values = credential.dictionary
      let consent = exporter.environment.consent
      if let app = credential.application {
        values.set("name", await ApplicationName.forUser(of: app))
        values.set("background", AppID(app).flatMap { consent.choice(for: $0) }?.rawValue)
      } else if credential.accessGroup == nil {
        // Each member of an access group has its own answer.
        values.set("background", consent.choice(for: nil)?.rawValue)
      }
      list.append(values)
    }
    return list
  }

  /// Callers that ask at the same time get the answers of one check, so that no program can flood the servers.
  private func answersOfServers() async -> [ServerCheck.Answer] {
    if let check { return await check.value }
    let check = Task.onGLib { [defaults] in
      let session = Chappie.authSession(configuration: defaults)
      await session.restored()
      return await ServerCheck.run(defaults.backend, asksAPI: session.signInMethod == .browser)
    }
    self.check = check
    defer { self.check = nil }
    return await check.value
  }

  /// Starts to observe the lock and to signal its changes on `object`.
  func attach(_ object: BusObject) {
    self.object = object
    monitor.observe { [weak self] in self?.show() }
    Task.onGLib { await monitor.ready() }
  }

  /// Waits until the lock state is known, so that no caller reads an unknown state.
  func ready() async {
    await monitor.ready()
    show()
  }

  private func show() {
    let new = Lock(state: monitor.state, sources: monitor.sources)
    guard new != lock else { return }
    let old = lock
    lock = new
    object?.propertiesChanged(
      Self.interface,
      (old.state == new.state ? [] : ["LockState"]) + (old.sources == new.sources ? [] : ["LockSources"]))
  }
}
