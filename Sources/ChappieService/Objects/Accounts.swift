// SPDX-License-Identifier: Apache-2.0
import ChappieBusInterfaces
import ChappieSDK
import GLibBridge

/// The other stored accounts of the default service, at `/org/chappie/account/NAME`, and the
/// `org.freedesktop.DBus.ObjectManager` that lists them.
@GLibActor
final class Accounts: ServiceInterface {
  static let interface = "org.freedesktop.DBus.ObjectManager"
  static var xml: String { BusInterfaceFiles.objectManager }

  private struct Account {
    let interfaces: [any ServiceInterface]
    let object: BusObject
    let turns: TurnBook

    @GLibActor var interfaceNames: [String] { interfaces.map { type(of: $0).interface } }
  }

  let signals = InterfaceSignals()
  private let environment: ServiceEnvironment
  private let defaults: ChappieConfiguration
  private let firstListing = Wait()
  private var isListing = false
  /// Whether something may have changed since the last listing began.
  private var isListingDue = false
  private var accounts: [String: Account] = [:]

  init(_ environment: ServiceEnvironment) {
    self.environment = environment
    defaults = environment.defaults
  }

  var methods: [String: Handler] {
    ["GetManagedObjects": { [unowned self] _ in .tuple([managedObjects]) }]
  }

  func ready(for request: BusRequest) async {
    await firstListing.value()
  }

  func wasExported() {
    // A locked or absent keyring lists no accounts now, and may list some later.
    LockMonitor.shared.observe { [weak self] in
      guard LockMonitor.shared.sources.contains("keyring") else { return }
      Task.onGLib { await self?.list() }
    }
    // Another program may have signed in.
    SlotRegistry.observeStore { [weak self] in Task.onGLib { await self?.list() } }
    Task.onGLib { await list() }
  }

  /// Lists the accounts. Requests during a listing share the next one.
  private func list() async {
    isListingDue = true
    guard !isListing else { return }
    isListing = true
    defer { isListing = false }
    while isListingDue {
      isListingDue = false
      let names = try? await Chappie.accounts(ofService: defaults.keychainService, applicationID: .desktopUser)
      for name in names ?? [] { add(name) }
    }
    firstListing.finish()
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
    guard name != defaults.keychainAccount, accounts[name] == nil else { return }
    // Any program can write an item. An item with an invalid name is not an account.
    guard (try? VariantDictionary.checkedName(name, "keychain_account")) != nil else {
      return Log.notice("An item in the keyring has a name that no account can have, and was passed over.")
    }
    var configuration = defaults
    configuration.keychainAccount = name
    do {
      accounts[name] = try export(configuration)
    } catch {
      Log.warning("The account object could not be put on the bus.")
    }
  }

  private func export(_ configuration: ChappieConfiguration) throws -> Account {
    let path = ServicePaths.accounts.appending(configuration.keychainAccount)
    let session = SessionObject(configuration, environment)
    let (client, clientInterfaces) = environment.client(configuration, sharing: .shared, session: path)
    let interfaces = [session] + clientInterfaces
    // The path names the account, so only callers that may use the account see it.
    let rights = BusObject.Rights { [callers = environment.callers] request in
      try await callers.authorizeUser(request.sender)
    } shows: { [callers = environment.callers] _, caller in
      await callers.mayUseShared(caller)
    } audience: { [callers = environment.callers] in
      .only(callers.unsandboxed)
    }
    let object = try environment.connection.export(path, interfaces, rights)
    session.stateChanged = { [weak self] state in
      if state == .signedOut { self?.remove(configuration.keychainAccount) }
    }
    let account = Account(interfaces: interfaces, object: object, turns: client.turns)
    tell("InterfacesAdded", .tuple([path.variant, self.interfaces(of: account)]))
    return account
  }

  /// Signals the callers that may see accounts and have called before: users of an `ObjectManager` first call
  /// `GetManagedObjects`.
  private func tell(_ signal: String, _ arguments: Variant) {
    signals.emit(signal, arguments, to: .only(environment.callers.unsandboxed))
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
      // The path was taken for an account that has signed in again meanwhile.
      await list()
    }
  }
}
