// SPDX-License-Identifier: Apache-2.0
import CGLib
import CLibsecret
import SecretMemory

extension SecretServiceClient {
  /// Finds the items whose attributes include `attributes`, including locked items.
  ///
  /// - Throws: ``SecretStoreError``, with `locked` when the keyring would prompt the user before it searches;
  ///   `CancellationError`.
  public func search(schema: String, _ attributes: [String: String]) async throws -> [Found] {
    try await withService(.forbidden) { service in
      guard try await !promptsToSearch(service) else { throw SecretStoreError.locked }
      var found: [Found] = []
      // Items are loaded one by one: libsecret's own search calls back twice when an item is deleted meanwhile.
      for path in try await paths(AttributeTable(attributes, schema: schema), service) {
        if let item = try await nilIfDeleted({ try await item(at: path, service) }) { found.append(item) }
      }
      return found
    }
  }

  /// The attributes of the items at `paths` that exist and have the schema, by path. Locked items are included.
  ///
  /// - Throws: as ``search(schema:_:)``.
  public func attributes(ofItemsAt paths: Set<String>, schema: String) async throws -> [String: [String: String]] {
    try await withService(.forbidden) { service in
      guard try await !promptsToSearch(service) else { throw SecretStoreError.locked }
      var known: [String: [String: String]] = [:]
      for path in try await self.paths(AttributeTable([:], schema: schema), service) where paths.contains(path) {
        known[path] = try await nilIfDeleted { try await item(at: path, service) }?.attributes
      }
      return known
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
    let values = try await service.properties(path, Self.itemInterface, deadline: deadline)
    guard let attributes: [String: String] = try values.value("Attributes"),
      let isLocked: Bool = try values.value("Locked")
    else { throw SecretStoreError.unavailable("it does not describe its items") }
    return Found(attributes: attributes, isLocked: isLocked, path: path)
  }

  private static let itemInterface = "org.freedesktop.Secret.Item"

  /// Reads the secret of an item; nil when the item has been deleted.
  ///
  /// - Returns: the secret, and the unique bus name of the keyring that gave it, which is unlocked.
  /// - Throws: ``SecretStoreError``, `CancellationError`.
  public func secret(of found: Found) async throws -> (line: SecretBytes, keyring: String?)? {
    try await withService(.forbidden) { service in
      guard let session = service.session else { throw SecretStoreError.unavailable("it has lost its session") }
      let reply = try await nilIfDeleted {
        try await service.call(found.path, Self.itemInterface, "GetSecret", .tuple(session), deadline: deadline)
      }
      guard let reply else { return nil }
      guard reply.isOfType("((oayays))"),
        let value = secret_service_decode_dbus_secret(
          service.pointer, try reply.member(0, "secret", as: Variant.self).pointer)
      else { throw SecretStoreError.unavailable("it sent a secret that cannot be read") }
      defer { secret_value_unref(UnsafeMutableRawPointer(value)) }
      var length: gsize = 0
      let bytes = secret_value_get(value, &length)
      return (SecretBytes(UnsafeRawBufferPointer(start: bytes, count: Int(length))), service.keyring)
    }
  }

  /// Stores `secret` as `item`, and replaces an item with the same attributes.
  ///
  /// - Throws: ``SecretStoreError``, `CancellationError`.
  public func store(
    _ secret: SecretBytes, as item: Item, in place: Collection, interaction: UserInteraction
  ) async throws {
    do {
      // A single D-Bus call without a preceding check, so that a crash has the smallest possible window.
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
    if case .session(let keyring) = place, service.keyring != keyring {
      throw SecretStoreError.unavailable("another keyring has taken its place")
    }
    let table = AttributeTable(item.attributes, schema: item.schema)
    let value = Self.value(secret)
    defer { value.map { secret_value_unref(UnsafeMutableRawPointer($0)) } }
    try await asyncCall(deadline: deadline) { cancellable, callback, data in
      secret_service_store(
        service.pointer, nil, table.pointer, place.alias, item.label, value, cancellable, callback, data)
    } finish: { result, error in
      secret_service_store_finish(service.pointer, result, &error)
    }
  }

  /// Sets the secret of an unlocked item with the same attributes.
  ///
  /// KeePassXC prompts before it creates an item over one that this process did not create. It does not prompt before
  /// changing the secret of an item that is readable. When the keyring has a `session` collection, the item may be in
  /// that one, and is not changed.
  ///
  /// - Returns: whether the secret was set.
  private func replaced(_ secret: SecretBytes, of item: Item) async throws -> Bool {
    let found = try await search(schema: item.schema, item.attributes)
    guard let old = found.first(where: { !$0.isLocked }), opened?.hasSessionCollection == false else {
      return false
    }
    let value = Self.value(secret)
    defer { value.map { secret_value_unref(UnsafeMutableRawPointer($0)) } }
    return try await withService(.forbidden) { service in
      guard let encoded = secret_service_encode_dbus_secret(service.pointer, value) else { return false }
      let secret = Variant(taking: encoded)
      _ = try await service.call(old.path, Self.itemInterface, "SetSecret", .tuple([secret]), deadline: deadline)
      return true
    }
  }

  private static func value(_ secret: SecretBytes) -> OpaquePointer? {
    secret.withBytes { bytes in
      secret_value_new(bytes.bindMemory(to: CChar.self).baseAddress, gssize(bytes.count), "text/plain")
    }
  }

  /// Deletes an item if it still exists.
  ///
  /// - Throws: ``SecretStoreError``, `CancellationError`.
  public func delete(_ found: Found, interaction: UserInteraction) async throws {
    try await withPrompts(interaction) {
      !found.isLocked
    } _: { service, deadline in
      let _: gboolean? = try await nilIfDeleted {
        try await asyncCall(deadline: deadline) { cancellable, callback, data in
          secret_service_delete_item_dbus_path(service.pointer, found.path, cancellable, callback, data)
        } finish: { result, error in
          secret_service_delete_item_dbus_path_finish(service.pointer, result, &error)
        }
      }
    }
  }

  /// Runs `body`; nil when the object that it calls was deleted.
  private func nilIfDeleted<Result>(_ body: () async throws -> Result) async throws -> Result? {
    do { return try await body() } catch let error as GLibError where error.isNoSuchObject { return nil }
  }
}
