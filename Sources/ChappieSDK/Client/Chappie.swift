import GLibBridge

/// The entry points.
public enum Chappie {
  /// The sign-in of the slot that `configuration` names. Each call makes an independent session.
  public static func authSession(
    configuration: ChappieConfiguration = ChappieConfiguration()
  ) -> ChappieAuthSession {
    ChappieAuthSession(configuration: configuration)
  }

  /// A client with a conversation of its own, on the credential of the slot that `configuration` names.
  public static func client(configuration: ChappieConfiguration = ChappieConfiguration()) -> ChappieClient {
    ChappieClient(configuration: configuration)
  }

  /// A client of the default slot with another harness.
  public static func client(harness: ChappieHarness) -> ChappieClient {
    client(configuration: ChappieConfiguration(harness: harness))
  }

  /// A client of the default slot with another policy for HTTP 429.
  public static func client(rateLimitBackoff: ChappieRateLimitBackoffPolicy) -> ChappieClient {
    client(configuration: ChappieConfiguration(rateLimitBackoff: rateLimitBackoff))
  }

  /// The accounts that programs outside a sandbox have stored for `service`, in alphabetical order.
  ///
  /// - Throws: ``ChappieAuthError/locked(_:)``, ``ChappieAuthError/keyringUnavailable(_:)``.
  @GLibActor
  public static func accounts(ofService service: String = ChappieConfiguration().keychainService) async throws
    -> [String]
  {
    do {
      return try await SlotRegistry.accounts(ofService: service)
    } catch let error as SecretStoreError {
      throw error.authError
    }
  }
}
