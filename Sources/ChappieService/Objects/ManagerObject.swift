// SPDX-License-Identifier: Apache-2.0
import ChappieBusInterfaces
import ChappieSDK
import GLibBridge
import Platform
import Templates

/// `org.chappie.Manager`: opens sessions and clients, and shows the lock.
@GLibActor
final class ManagerObject: ServiceInterface {
  static let interface = "org.chappie.Manager"
  static var xml: String { BusInterfaceFiles.manager }

  let signals = InterfaceSignals()
  private let directory: ObjectDirectory
  private let environment: ServiceEnvironment
  /// Called when everything was erased, and the service has nothing left to do.
  private let ended: @GLibActor () -> Void
  /// Callers that ask at the same time get the answers of one check, so that no program can flood the servers.
  private let check: SharedWork<[ServerCheck.Answer]>
  /// In the same way, a directory that does not answer holds one thread.
  private let actions = SharedWork {
    try await offActor { Result { () throws(FileError) in try TemplateDirectory.actions() } }.get()
  }

  init(_ directory: ObjectDirectory, _ environment: ServiceEnvironment, ended: @escaping @GLibActor () -> Void) {
    self.directory = directory
    self.environment = environment
    self.ended = ended
    check = SharedWork { [defaults = environment.defaults] in
      let session = Chappie.authSession(configuration: defaults)
      await session.restored()
      return await ServerCheck.run(defaults.backend, asksAPI: session.signInMethod == .browser)
    }
  }

  var properties: [String: BusImplementation.Property] {
    [
      "LockState": { _ in LockMonitor.shared.state.rawValue.variant },
      "LockSources": { _ in LockMonitor.shared.sources.variant },
    ]
  }

  var methods: [String: Handler] {
    var methods = openingMethods
    for (name, method) in userMethods {
      methods[name] = { [callers = environment.callers] call in
        try await callers.authorizeUser(call.sender)
        return try await method(call)
      }
    }
    return methods
  }

  private var openingMethods: [String: Handler] {
    [
      "OpenSession": { [directory] call in
        .tuple(try await directory.openSession(try call.argument(0), for: call.sender))
      },
      "OpenClient": { [directory] call in
        .tuple(try await directory.openClient(try call.argument(0), for: call.sender))
      },
      "Close": action { [directory] call in try directory.close(call.argument(0), by: call.sender) },
    ]
  }

  /// The methods for unsandboxed programs alone. They may answer for every app, where a sandboxed app answers only for
  /// itself, and check the service, or list or erase what it keeps.
  private var userMethods: [String: Handler] {
    [
      "ListApprovals": { [approvals = environment.approvals] _ in .tuple(approvals.list) },
      "GetApproval": { [approvals = environment.approvals] call in
        .tuple(try approvals.details(of: try call.argument(0)))
      },
      "AnswerApproval": action { [approvals = environment.approvals] call in
        await LockMonitor.shared.ready()
        try approvals.resolve(
          try call.argument(0), ChappieApprovalDecision(approved: call.argument(1), reason: call.argument(2)))
      },
      "ListActions": { [actions] in
        _ = try $0.argument(0, as: VariantDictionary.self)
        do {
          return .tuple(try await withDeadline(.seconds(10)) { try await actions.value() }.map(\.dictionary))
        } catch is FileError {
          throw BusError(.storeUnavailable, en("The templates cannot be read: chappie templates says why."))
        } catch is GLibError {
          throw BusError(.storeUnavailable, en("A directory of templates does not answer: check its disk or network."))
        }
      },
      "CheckServers": { [check] _ in .tuple(try await check.value().map(\.dictionary)) },
      "ListCredentials": { [unowned self] call in
        _ = try call.argument(0, as: VariantDictionary.self)
        return .tuple(try await credentials())
      },
      "SignOutApplication": { [defaults = environment.defaults] call in
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
      "SetBackgroundUse": action { [consent = environment.consent] call in
        let (id, word): (String, String) = (try call.argument(0), try call.argument(1))
        let app = AppID(id)
        guard app != nil || id.isEmpty else {
          throw BusError(.invalidArgument, en("'\(Redaction.message(id))' is no id of an app in a sandbox."))
        }
        guard let choice = BackgroundConsent.Choice(rawValue: word) else {
          throw BusError(.invalidArgument, "Background use is set to allow, deny or ask.")
        }
        try consent.set(choice, for: app)
      },
      "Erase": { [defaults = environment.defaults, ended] call in
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
    let consent = environment.consent
    for credential in try await StoredCredential.all(environment.defaults) {
      var values = credential.dictionary
      if let app = credential.application {
        values.set("name", await ApplicationName.name(of: app))
        values.set("background", AppID(app).flatMap { consent.choice(for: $0) }?.rawValue)
      } else if credential.accessGroup == nil {
        // Each member of an access group has its own answer.
        values.set("background", consent.choice(for: nil)?.rawValue)
      }
      list.append(values)
    }
    return list
  }

  func wasExported() {
    signals.watch(properties)
    LockMonitor.shared.observe { [signals] in signals.compare() }
    Task.onGLib { await LockMonitor.shared.ready() }
  }

  /// Waits until the lock state is known, so that no caller reads an unknown state.
  func ready(for request: BusRequest) async {
    guard request.isPropertyRead else { return }
    await LockMonitor.shared.ready()
    signals.compare()
  }
}

extension Template {
  /// An action, as `ListActions` tells it.
  fileprivate var dictionary: VariantDictionary {
    [
      "name": name, "title": title, "question": pieces, "replace": replacement.rawValue, "description": description,
      "instructions": filledInstructions, "model": model, "reasoning_effort": effort,
    ]
  }
}
