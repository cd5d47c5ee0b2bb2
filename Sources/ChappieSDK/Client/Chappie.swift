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
  ///
  /// - Parameters:
  ///   - tools: what this program runs when the model calls it. A tool that the harness does not declare is declared
  ///     by its own manifest; one that it does is called as the harness describes it.
  ///   - toolApprovalHandler: asks the user about a call of a tool whose policy is ``ChappieToolPolicy/ask``.
  public static func client(
    configuration: ChappieConfiguration = ChappieConfiguration(), tools: [ChappieHostTool] = [],
    toolApprovalHandler: ChappieToolApprovalHandler? = nil
  ) -> ChappieClient {
    ChappieClient(configuration: configuration, tools: ToolSet(tools, approve: toolApprovalHandler))
  }

  /// A client of the default slot with another harness.
  public static func client(
    harness: ChappieHarness, tools: [ChappieHostTool] = [], toolApprovalHandler: ChappieToolApprovalHandler? = nil
  ) -> ChappieClient {
    client(
      configuration: ChappieConfiguration(harness: harness), tools: tools, toolApprovalHandler: toolApprovalHandler)
  }

  /// A client of the default slot with another way for answers to come.
  public static func client(streamingTransportPolicy: ChappieStreamingTransportPolicy) -> ChappieClient {
    client(configuration: ChappieConfiguration(streamingTransportPolicy: streamingTransportPolicy))
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
