// SPDX-License-Identifier: Apache-2.0
import ChappieBusInterfaces
import ChappieSDK
import GLibBridge

/// The other stored accounts of the default service, at `/org/chappie/account/NAME`, and the
/// `org.freedesktop.DBus.ObjectManager` that lists them.
@GLibActor
final class Accounts {
  static let managerInterface = "org.freedesktop.DBus.ObjectManager"

  private struct Account {
    let session: SessionObject
    let exported: ExportedClient
    let object: BusObject

    @GLibActor var interfaceNames: [String] { [SessionObject.interface] + exported.interfaceNames }
    @GLibActor var turns: TurnBook { exported.client.turns }
  }

  private enum Listing {
    case none
    /// - Parameter isDue: whether something may have changed since it began.
    case running(isDue: Bool)
  }

  private let defaults: ChappieConfiguration
  private var listing = Listing.none
  private var accounts: [String: Account] = [:]
  private weak var exporter: ObjectExporter?
  private weak var root: BusObject?

  init(defaults: ChappieConfiguration) {
    self.defaults = defaults
  }

  /// Exports the accounts in the keyring. `root` signals added and removed accounts.
  func attach(_ root: BusObject, _ exporter: ObjectExporter) async {
    self.root = root
    self.exporter = exporter
    // A locked or absent keyring lists no accounts now, and may list some later.
    LockMonitor.shared.observe { [weak self] in
      guard LockMonitor.shared.sources.contains("keyring") else { return }
      Task.onGLib { await self?.list() }
    }
    // Another program may have signed in.
    SlotRegistry.observeStore { [weak self] in Task.onGLib { await self?.list() } }
    await list()
  }

  /// Lists the accounts. Requests during a listing share the next one.
  private func list() async {
    switch listing {
    case .running: listing = .running(isDue: true)
    case .none:
      listing = .running(isDue: false)
      let names = try? await Chappie.accounts(ofService: defaults.keychainService, applicationID: .desktopUser)
      for name in names ?? [] { add(name) }
      let last = listing
      listing = .none
      if case .running(isDue: true) = last { await list() }
    }
  }

  /// Exports the account of `session` once it is signed in, when it is one of these.
  func follow(_ session: SessionObject) {
    let configuration = session.session.configuration
    guard configuration.keychainService == defaults.keychainService, configuration.keychainAccessGroup == nil,
      configuration.applicationID.isDesktopUser
    else { return }
    session.stateChanged = { [weak self] state in
      if state == .signedIn { self?.add(configuration.keychainAccount) }
    }
  }

  func implementation() throws -> BusImplementation {
    try BusImplementation(
      BusInterfaceDescription(xml: BusInterfaceFiles.objectManager, name: Self.managerInterface), owner: self,
      methods: ["GetManagedObjects": { [unowned self] _ in .tuple([managedObjects]) }], properties: [:])
  }

  private var managedObjects: Variant {
    let entries = accounts.values.map { Variant.entry($0.object.path.variant, interfaces(of: $0)) }
    return .array(of: "{oa{sa{sv}}}", entries)
  }

  private func interfaces(of account: Account) -> Variant {
    let entries = account.interfaceNames.map { name in
      var properties = account.object.properties(of: name)
      // Only the object itself shows the owner of the account.
      properties.remove("AccountInfo")
      return Variant.entry(name.variant, properties.variant)
    }
    return .array(of: "{sa{sv}}", entries)
  }

  // MARK: Coming and going

  private func add(_ name: String) {
    guard name != defaults.keychainAccount, accounts[name] == nil, let exporter else { return }
    // Any program can write an item. An item with an invalid name is not an account.
    guard (try? VariantDictionary.checkedName(name, "keychain_account")) != nil else {
      return Log.notice("An item in the keyring has a name that no account can have, and was passed over.")
    }
    var configuration = defaults
    configuration.keychainAccount = name
    do {
      accounts[name] = try export(configuration, exporter)
    } catch {
      Log.warning("The account object could not be put on the bus.")
    }
  }

  private func export(_ configuration: ChappieConfiguration, _ exporter: ObjectExporter) throws -> Account {
    let path = ServicePaths.accounts.appending(configuration.keychainAccount)
    let session = exporter.session(configuration)
    let client = exporter.client(configuration, sharing: .shared, session: path)
    // The path names the account, so only callers that may use the account see it.
    let callers = exporter.environment.callers
    let rights = BusObject.Rights { [weak session] request in
      try await callers.authorizeShared(request)
      await session?.ready()
    } shows: { _, caller in
      await callers.mayUseShared(caller)
    } audience: {
      .only(callers.unsandboxed)
    }
    let object = try exporter.export(path, [session.implementation()] + client.implementations(), rights)
    session.attach(object)
    client.attach(object)
    session.stateChanged = { [weak self] state in
      if state == .signedOut { self?.remove(configuration.keychainAccount) }
    }
    let account = Account(session: session, exported: client, object: object)
    tell("InterfacesAdded", .tuple([path.variant, interfaces(of: account)]))
    return account
  }

  /// Signals the callers that may see accounts and have called before: users of an `ObjectManager` first call
  /// `GetManagedObjects`.
  private func tell(_ signal: String, _ arguments: Variant) {
    guard let root, let exporter else { return }
    root.emit(Self.managerInterface, signal, arguments, to: .only(exporter.environment.callers.unsandboxed))
  }

  private func remove(_ name: String) {
    guard let account = accounts.removeValue(forKey: name) else { return }
    account.turns.cancelAll()
    tell("InterfacesRemoved", .tuple(account.object.path, account.interfaceNames))
    Task.onGLib {
      await account.turns.allEnded()
      account.object.unexport()
      // The session stays until the call that signed it out has been answered.
      withExtendedLifetime(account) {}
    }
  }
}
