import CGLib
import CLibsecret
import SecretMemory

/// The desktop keyring, through libsecret's object interface.
///
/// No call asks the user for something unless it is told that it may. Each call has a deadline. Items are found by their
/// attributes each time: a kept object path may name another item tomorrow.
@GLibActor
public final class SecretServiceClient {
  /// Whether a call may ask the user for something, such as the keyring's password.
  public enum Interaction: Sendable {
    case forbidden
    case allowed
  }

  /// What identifies an item, and what it is called in a keyring editor.
  public struct Item: Sendable {
    /// The libsecret schema's name.
    public var schema: String
    public var attributes: [String: String]
    public var label: String

    public init(schema: String, attributes: [String: String], label: String) {
      self.schema = schema
      self.attributes = attributes
      self.label = label
    }
  }

  /// Where an item is stored.
  public enum Collection: Sendable {
    /// What the user chose as default; it is on disk.
    case `default`
    /// Items that last until logout. Not every keyring has it.
    case session

    fileprivate var alias: String {
      switch self {
      case .default: SECRET_COLLECTION_DEFAULT
      case .session: SECRET_COLLECTION_SESSION
      }
    }
  }

  /// Whether a collection can be used.
  public enum CollectionState: Sendable {
    case locked
    case unlocked
  }

  /// What a search found. Items can be locked one by one, also in a collection that is not.
  public struct Found {
    public let attributes: [String: String]
    public let isLocked: Bool
    fileprivate let item: SecretItemReference
    /// libsecret's items know their service by a weak pointer.
    fileprivate let service: SecretServiceReference
  }

  private enum Service {
    case closed
    case opening(Task<SecretServiceReference, any Error>)
    case open(SecretServiceReference)
  }

  /// A person may take their time; a keyring may not.
  private static let patience = Duration.seconds(120)

  private let deadline: Duration
  private var quiet = Service.closed
  private var prompting = Service.closed

  /// - Parameter deadline: the longest wait for an answer that needs no person.
  public init(deadline: Duration = .seconds(5)) {
    self.deadline = deadline
  }

  // MARK: Items

  /// The items whose attributes include `attributes`, locked ones too.
  ///
  /// - Throws: ``SecretStoreError``, where a keyring that is locked would ask the user before it searches;
  ///   `CancellationError`.
  public func search(schema: String, _ attributes: [String: String]) async throws -> [Found] {
    try await withService(.forbidden) { service in
      guard try await !asksBeforeItSearches(service) else { throw SecretStoreError.locked }
      var found: [Found] = []
      // Item by item: libsecret's own search ends twice when one of its items is deleted meanwhile.
      for path in try await paths(AttributeTable(attributes, schema: schema), service) {
        if let item = try await unlessGone({ try await item(at: path, service) }) { found.append(item) }
      }
      return found
    }
  }

  private func paths(_ attributes: AttributeTable, _ service: SecretServiceReference) async throws -> [String] {
    try await asyncCall(deadline: deadline) { cancellable, callback, data in
      secret_service_search_for_dbus_paths(
        service.pointer, nil, attributes.pointer, cancellable, callback, data)
    } finish: { result, error in
      var unlocked: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
      var locked: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
      _ = secret_service_search_for_dbus_paths_finish(service.pointer, result, &unlocked, &locked, &error)
      return takeStrings(unlocked) + takeStrings(locked)
    }
  }

  private func item(at path: String, _ service: SecretServiceReference) async throws -> Found {
    let item = try await asyncCall(deadline: deadline) { cancellable, callback, data in
      secret_item_new_for_dbus_path(service.pointer, path, SECRET_ITEM_NONE, cancellable, callback, data)
    } finish: { result, error in
      secret_item_new_for_dbus_path_finish(result, &error).map(SecretItemReference.init(owning:))
    }
    guard let item else { throw GLibError.timedOut }
    let attributes = secret_item_get_attributes(item.pointer)
    defer { if let attributes { g_hash_table_unref(attributes) } }
    return Found(
      attributes: [String: String](copying: attributes),
      isLocked: secret_item_get_locked(item.pointer) != 0, item: item, service: service)
  }

  /// Reads the secret of an item that a search found; nil when it has been deleted since.
  ///
  /// - Throws: ``SecretStoreError``, `CancellationError`.
  public func secret(of found: Found) async throws -> SecretBytes? {
    try await withService(.forbidden) { _ in
      let item = found.item
      let loaded: gboolean? = try await unlessGone {
        try await asyncCall(deadline: deadline) { cancellable, callback, data in
          secret_item_load_secret(item.pointer, cancellable, callback, data)
        } finish: { result, error in
          secret_item_load_secret_finish(item.pointer, result, &error)
        }
      }
      guard loaded != nil else { return nil }
      guard let value = secret_item_get_secret(item.pointer) else { throw SecretStoreError.locked }
      defer { secret_value_unref(UnsafeMutableRawPointer(value)) }
      var length: gsize = 0
      let bytes = secret_value_get(value, &length)
      return SecretBytes(UnsafeRawBufferPointer(start: bytes, count: Int(length)))
    }
  }

  /// Stores `secret` as `item`, in place of an item with the same attributes.
  ///
  /// - Throws: ``SecretStoreError``, `CancellationError`.
  public func store(
    _ secret: SecretBytes, as item: Item, in place: Collection, interaction: Interaction
  ) async throws {
    do {
      // One message and no question before it: a crash must find as little time as can be.
      try await withService(.forbidden) { try await create(secret, as: item, in: place, $0, deadline) }
    } catch SecretStoreError.locked {
      guard case .default = place else { throw SecretStoreError.locked }
      if try await replaced(secret, of: item) { return }
      try await withPrompts(interaction) {
        try await defaultCollectionState() == .unlocked
      } _: { service, deadline in
        try await create(secret, as: item, in: place, service, deadline)
      }
    }
  }

  private func create(
    _ secret: SecretBytes, as item: Item, in place: Collection, _ service: SecretServiceReference, _ deadline: Duration
  ) async throws {
    let table = AttributeTable(item.attributes, schema: item.schema)
    let value = Self.value(secret)
    defer { value.map { secret_value_unref(UnsafeMutableRawPointer($0)) } }
    _ = try await asyncCall(deadline: deadline) { cancellable, callback, data in
      secret_service_store(
        service.pointer, nil, table.pointer, place.alias, item.label, value, cancellable, callback, data)
    } finish: { result, error in
      secret_service_store_finish(service.pointer, result, &error)
    }
  }

  /// Gives the item with the same attributes a new secret, where there is one that is not locked.
  ///
  /// KeePassXC lets nobody create an item over another program's, or over its own after a restart, without asking. It
  /// does let them change what they may read. Where there is a `session` collection, the item may be that one's.
  private func replaced(_ secret: SecretBytes, of item: Item) async throws -> Bool {
    let found = try await search(schema: item.schema, item.attributes)
    guard let old = found.first(where: { !$0.isLocked }), old.service.hasSessionCollection == false else {
      return false
    }
    let value = Self.value(secret)
    defer { value.map { secret_value_unref(UnsafeMutableRawPointer($0)) } }
    return try await withService(.forbidden) { _ in
      try await asyncCall(deadline: deadline) { cancellable, callback, data in
        secret_item_set_secret(old.item.pointer, value, cancellable, callback, data)
      } finish: { result, error in
        secret_item_set_secret_finish(old.item.pointer, result, &error)
      } != 0
    }
  }

  private static func value(_ secret: SecretBytes) -> OpaquePointer? {
    secret.withBytes { bytes in
      secret_value_new(bytes.bindMemory(to: CChar.self).baseAddress, gssize(bytes.count), "text/plain")
    }
  }

  /// Deletes an item that a search found, if it is still there.
  ///
  /// - Throws: ``SecretStoreError``, `CancellationError`.
  public func delete(_ found: Found, interaction: Interaction) async throws {
    try await withPrompts(interaction) {
      !found.isLocked
    } _: { service, deadline in
      // By its path: the item itself would prompt as the service does that found it, which is never.
      let path = found.item.path
      let _: gboolean? = try await unlessGone {
        try await asyncCall(deadline: deadline) { cancellable, callback, data in
          secret_service_delete_item_dbus_path(service.pointer, path, cancellable, callback, data)
        } finish: { result, error in
          secret_service_delete_item_dbus_path_finish(service.pointer, result, &error)
        }
      }
    }
  }

  /// Whether the default collection says that it is locked.
  ///
  /// - Throws: ``SecretStoreError/unavailable(_:)`` also when there is none, `CancellationError`.
  public func defaultCollectionState() async throws -> CollectionState {
    try await withService(.forbidden) { service in
      let collection = try await collection(.default, service)
      return secret_collection_get_locked(collection.pointer) != 0 ? .locked : .unlocked
    }
  }

  /// Unlocks the default collection. Without interaction this succeeds only where the keyring needs no password.
  ///
  /// - Throws: ``SecretStoreError``, `CancellationError`.
  public func unlockDefaultCollection(interaction: Interaction) async throws {
    try await withService(interaction) { service in
      let collection = try await collection(.default, service)
      try await unlock(collection.pointer, service, interaction)
    }
  }

  /// Unlocks an item that a search found locked, while its collection is not. Without interaction this succeeds only
  /// where the keyring needs nobody's consent.
  ///
  /// - Throws: ``SecretStoreError``, `CancellationError`.
  public func unlock(_ found: Found, interaction: Interaction) async throws {
    try await withService(interaction) { service in
      try await unlock(found.item.pointer, service, interaction)
    }
  }

  private func unlock(
    _ object: UnsafeMutableRawPointer, _ service: SecretServiceReference, _ interaction: Interaction
  ) async throws {
    let list = g_list_append(nil, object)
    defer { g_list_free(list) }
    let count = try await asyncCall(deadline: interaction == .allowed ? Self.patience : deadline) {
      cancellable, callback, data in
      secret_service_unlock(service.pointer, list, cancellable, callback, data)
    } finish: { result, error in
      secret_service_unlock_finish(service.pointer, result, nil, &error)
    }
    guard count > 0 else { throw SecretStoreError.locked }
  }

  // MARK: The service object

  /// The unique name on the bus of the keyring that answered last; nil when none has.
  public var keyring: String? {
    guard case .open(let service) = quiet else { return nil }
    return service.keyring
  }

  /// KeePassXC asks for its password when it is searched while locked, and answers when somebody has typed it. Keyrings
  /// that have a `session` collection search that one too, and do not ask.
  private func asksBeforeItSearches(_ service: SecretServiceReference) async throws -> Bool {
    let hasSession: Bool
    if let known = service.hasSessionCollection {
      hasSession = known
    } else {
      hasSession = try await collectionIfThere(.session, service) != nil
      service.hasSessionCollection = hasSession
    }
    guard !hasSession, let collection = try await collectionIfThere(.default, service) else { return false }
    return secret_collection_get_locked(collection.pointer) != 0
  }

  private func collection(_ place: Collection, _ service: SecretServiceReference) async throws
    -> SecretCollectionReference
  {
    guard let collection = try await collectionIfThere(place, service) else {
      throw SecretStoreError.unavailable("the keyring has no \(place.alias) collection")
    }
    return collection
  }

  private func collectionIfThere(_ place: Collection, _ service: SecretServiceReference) async throws
    -> SecretCollectionReference?
  {
    try await asyncCall(deadline: deadline) { cancellable, callback, data in
      secret_collection_for_alias(
        service.pointer, place.alias, SECRET_COLLECTION_NONE, cancellable, callback, data)
    } finish: { result, error in
      secret_collection_for_alias_finish(result, &error).map(SecretCollectionReference.init(owning:))
    }
  }

  /// Runs `body` with a service object that may prompt as far as `interaction` allows, and with the time it has.
  ///
  /// Some keyrings answer with a prompt where nobody has to be asked, KeePassXC always does. Where that is so, the
  /// prompt has as little time as the keyring itself, and is dismissed then.
  private func withPrompts(
    _ interaction: Interaction, whereNobodyIsAsked: () async throws -> Bool,
    _ body: (SecretServiceReference, Duration) async throws -> Void
  ) async throws {
    do {
      try await withService(.forbidden) { try await body($0, deadline) }
    } catch SecretStoreError.locked {
      switch interaction {
      case .allowed: try await withService(.allowed) { try await body($0, Self.patience) }
      case .forbidden:
        guard try await whereNobodyIsAsked() else { throw SecretStoreError.locked }
        try await withService(.allowed) { try await body($0, deadline) }
      }
    }
  }

  /// Runs `body` with a service object, and once more with a fresh one when the first has lost its session: a
  /// keyring that restarted forgets the sessions that it had.
  private func withService<Result>(
    _ interaction: Interaction, _ body: (SecretServiceReference) async throws -> Result
  ) async throws -> Result {
    do {
      return try await body(try await open(interaction))
    } catch let error as GLibError where error.hasLostItsKeyring {
      quiet = .closed
      prompting = .closed
      return try await mappingErrors { try await body(try await open(interaction)) }
    } catch {
      throw Self.mapped(error)
    }
  }

  /// Nil when the object that `body` calls is not there: somebody deleted it.
  private func unlessGone<Result>(_ body: () async throws -> Result) async throws -> Result? {
    do { return try await body() } catch let error as GLibError where error.saysNoSuchObject { return nil }
  }

  private func mappingErrors<Result>(_ body: () async throws -> Result) async throws -> Result {
    do { return try await body() } catch { throw Self.mapped(error) }
  }

  private static func mapped(_ error: any Error) -> any Error {
    guard let error = error as? GLibError else { return error }
    return error.isLockedOrDismissed ? SecretStoreError.locked : .unavailable(error.message)
  }

  private func open(_ interaction: Interaction) async throws -> SecretServiceReference {
    switch kept(interaction) {
    case .open(let service) where service.hasSession: return service
    case .opening(let task): return try await task.value
    case .open, .closed: break
    }
    let task = Task.onGLib { try await makeService(interaction) }
    keep(.opening(task), interaction)
    do {
      let service = try await task.value
      keep(.open(service), interaction)
      return service
    } catch {
      keep(.closed, interaction)
      throw error
    }
  }

  private func makeService(_ interaction: Interaction) async throws -> SecretServiceReference {
    let type = interaction == .allowed ? AskingSecretService.type : QuietSecretService.type
    let service = try await asyncCall(deadline: deadline) { cancellable, callback, data in
      secret_service_open(type, nil, SECRET_SERVICE_OPEN_SESSION, cancellable, callback, data)
    } finish: { result, error in
      secret_service_open_finish(result, &error).map(SecretServiceReference.init(owning:))
    }
    guard let service else { throw SecretStoreError.unavailable("the keyring does not answer") }
    return service
  }

  private func kept(_ interaction: Interaction) -> Service {
    switch interaction {
    case .forbidden: quiet
    case .allowed: prompting
    }
  }

  private func keep(_ service: Service, _ interaction: Interaction) {
    switch interaction {
    case .forbidden: quiet = service
    case .allowed: prompting = service
    }
  }
}

extension GLibError {
  fileprivate var isLockedOrDismissed: Bool {
    busName == "org.freedesktop.Secret.Error.IsLocked"
      || (domain == String(cString: g_quark_to_string(secret_error_get_quark()))
        && code == Int32(SECRET_ERROR_IS_LOCKED.rawValue))
      || domain == QuietSecretService.errorDomain
  }

  fileprivate var saysNoSuchObject: Bool {
    switch busName {
    case "org.freedesktop.Secret.Error.NoSuchObject", "org.freedesktop.DBus.Error.UnknownMethod",
      "org.freedesktop.DBus.Error.UnknownObject":
      true
    default:
      domain == String(cString: g_quark_to_string(secret_error_get_quark()))
        && code == Int32(SECRET_ERROR_NO_SUCH_OBJECT.rawValue)
    }
  }

  fileprivate var hasLostItsKeyring: Bool {
    switch busName {
    case "org.freedesktop.Secret.Error.NoSession", "org.freedesktop.DBus.Error.ServiceUnknown",
      "org.freedesktop.DBus.Error.NoReply", "org.freedesktop.DBus.Error.NameHasNoOwner",
      "org.freedesktop.DBus.Error.UnknownMethod", "org.freedesktop.DBus.Error.UnknownObject":
      true
    default:
      false
    }
  }
}
