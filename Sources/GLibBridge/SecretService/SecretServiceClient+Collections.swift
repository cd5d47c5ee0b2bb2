import CGLib
import CLibsecret

extension SecretServiceClient {
  /// The lock state that the default collection reports.
  ///
  /// - Throws: ``SecretStoreError/unavailable(_:)``, also when there is no default collection; `CancellationError`.
  public func defaultCollectionState() async throws -> CollectionState {
    try await services.withService(.forbidden) { service in
      let collection = try await collection(.default, service)
      return secret_collection_get_locked(collection.pointer) != 0 ? .locked : .unlocked
    }
  }

  /// Unlocks the default collection. Without interaction this succeeds only when the keyring needs no password.
  ///
  /// - Throws: ``SecretStoreError``, `CancellationError`.
  public func unlockDefaultCollection(interaction: Interaction) async throws {
    try await asking(interaction) { service, interaction in
      let collection = try await collection(.default, service)
      try await unlock(collection.pointer, service, interaction)
    }
  }

  /// Unlocks a locked item in an unlocked collection. Without interaction this succeeds only when the keyring needs no
  /// consent.
  ///
  /// - Throws: ``SecretStoreError``, `CancellationError`.
  public func unlock(_ found: Found, interaction: Interaction) async throws {
    try await asking(interaction) { service, interaction in
      try await unlock(found.item.pointer, service, interaction)
    }
  }

  /// Runs `body`, which may prompt the user when `interaction` and ``PromptThrottle`` allow it.
  private func asking(
    _ interaction: Interaction, _ body: (SecretServiceReference, Interaction) async throws -> Void
  ) async throws {
    guard interaction == .allowed else {
      return try await services.withService(.forbidden) { try await body($0, .forbidden) }
    }
    try await PromptThrottle.shared.pass {
      try await services.withService(.allowed) { try await body($0, .allowed) }
    } quiet: {
      try await services.withService(.forbidden) { try await body($0, .forbidden) }
    }
  }

  private func unlock(
    _ object: UnsafeMutableRawPointer, _ service: SecretServiceReference, _ interaction: Interaction
  ) async throws {
    let list = g_list_append(nil, object)
    defer { g_list_free(list) }
    let count = try await asyncCall(deadline: interaction == .allowed ? SecretServicePair.promptDeadline : deadline) {
      cancellable, callback, data in
      secret_service_unlock(service.pointer, list, cancellable, callback, data)
    } finish: { result, error in
      secret_service_unlock_finish(service.pointer, result, nil, &error)
    }
    guard count > 0 else { throw SecretStoreError.locked }
  }

  /// Whether a search would prompt the user. A locked KeePassXC prompts for its password when it is searched. Keyrings
  /// with a `session` collection search that one and do not prompt.
  func promptsToSearch(_ service: SecretServiceReference) async throws -> Bool {
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
}
