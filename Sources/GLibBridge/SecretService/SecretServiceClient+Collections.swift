// SPDX-License-Identifier: Apache-2.0
import CGLib
import CLibsecret

extension SecretServiceClient {
  /// The lock state that the default collection reports.
  ///
  /// - Throws: ``SecretStoreError/unavailable(_:)``, ``SecretStoreError/noDefaultCollection``, `CancellationError`.
  public func defaultCollectionState() async throws -> CollectionState {
    try await withService(.forbidden) { service in
      try await isLocked(defaultCollection(service), service) ? .locked : .unlocked
    }
  }

  /// Unlocks the default collection. Without interaction this succeeds only when the keyring needs no password.
  ///
  /// - Throws: ``SecretStoreError``, `CancellationError`.
  public func unlockDefaultCollection(interaction: UserInteraction) async throws {
    try await asking(interaction) { service, deadline in
      try await unlock(defaultCollection(service), service, deadline)
    }
  }

  /// Creates the default collection if the keyring has none. The keyring's own prompt asks for its password.
  ///
  /// - Returns: whether it was created.
  /// - Throws: ``SecretStoreError``, also ``SecretStoreError/noDefaultCollection`` without interaction;
  ///   `CancellationError`.
  public func makeDefaultCollection(interaction: UserInteraction) async throws -> Bool {
    let exists = try await withService(.forbidden) { try await path(SECRET_COLLECTION_DEFAULT, $0) != nil }
    guard !exists else { return false }
    try await asking(interaction) { service, _ in
      // Another caller may have created it during its prompt.
      guard try await path(SECRET_COLLECTION_DEFAULT, service) == nil else { return }
      guard service.interaction == .allowed else { throw SecretStoreError.noDefaultCollection }
      try await createDefaultCollection(service)
    }
    return true
  }

  /// Unlocks a locked item in an unlocked collection. Without interaction this succeeds only when the keyring needs no
  /// consent.
  ///
  /// - Throws: ``SecretStoreError``, `CancellationError`.
  public func unlock(_ found: Found, interaction: UserInteraction) async throws {
    try await asking(interaction) { service, deadline in
      try await unlock(found.path, service, deadline)
    }
  }

  private func unlock(_ path: String, _ service: SecretServiceReference, _ deadline: Duration) async throws {
    let count = try await asyncCall(deadline: deadline) { cancellable, callback, data in
      withCStrings([path]) { paths in
        secret_service_unlock_dbus_paths(service.pointer, paths, cancellable, callback, data)
      }
    } finish: { result, error in
      secret_service_unlock_dbus_paths_finish(service.pointer, result, nil, &error)
    }
    guard count > 0 else { throw SecretStoreError.locked }
  }

  private func createDefaultCollection(_ service: SecretServiceReference) async throws {
    // The label that libsecret gives to a collection of its own making.
    let label = g_variant_ref_sink(g_variant_new_string("Default keyring"))
    defer { g_variant_unref(label) }
    let properties = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, nil)
    defer { g_hash_table_unref(properties) }
    let key = g_strdup("org.freedesktop.Secret.Collection.Label")
    g_hash_table_insert(properties, key, label.map { UnsafeMutableRawPointer($0) })
    let path = try await asyncCall(deadline: Self.promptDeadline) { cancellable, callback, data in
      secret_service_create_collection_dbus_path(
        service.pointer, properties, SECRET_COLLECTION_DEFAULT, SECRET_COLLECTION_CREATE_NONE, cancellable, callback,
        data)
    } finish: { result, error in
      takeString(secret_service_create_collection_dbus_path_finish(service.pointer, result, &error)) ?? ""
    }
    // Without a collection the user has dismissed the prompt.
    guard path.count > 1 else { throw SecretStoreError.locked }
  }

  /// Whether a search would prompt the user. A locked KeePassXC prompts for its password when it is searched. Keyrings
  /// with a `session` collection search that one and do not prompt.
  func promptsToSearch(_ service: SecretServiceReference) async throws -> Bool {
    if service.hasSessionCollection == nil {
      service.hasSessionCollection = try await path(SECRET_COLLECTION_SESSION, service) != nil
    }
    guard service.hasSessionCollection == false, let path = try await path(SECRET_COLLECTION_DEFAULT, service) else {
      return false
    }
    return try await isLocked(path, service)
  }

  private func isLocked(_ collection: String, _ service: SecretServiceReference) async throws -> Bool {
    let values = try await service.properties(collection, "org.freedesktop.Secret.Collection", deadline: deadline)
    guard let isLocked: Bool = try values.value("Locked") else {
      throw SecretStoreError.unavailable("it does not describe its collections")
    }
    return isLocked
  }

  private func defaultCollection(_ service: SecretServiceReference) async throws -> String {
    guard let path = try await path(SECRET_COLLECTION_DEFAULT, service) else {
      throw SecretStoreError.noDefaultCollection
    }
    return path
  }

  /// The object path of the collection with an alias; nil if the keyring has none.
  private func path(_ alias: String, _ service: SecretServiceReference) async throws -> String? {
    let path = try await asyncCall(deadline: deadline) { cancellable, callback, data in
      secret_service_read_alias_dbus_path(service.pointer, alias, cancellable, callback, data)
    } finish: { result, error in
      takeString(secret_service_read_alias_dbus_path_finish(service.pointer, result, &error)) ?? ""
    }
    return path.isEmpty ? nil : path
  }
}
