import GLibBridge

/// The entry points.
public enum Chappie {
  /// The sign-in of the slot that `configuration` names. Each call makes an independent session.
  ///
  /// It waits until the keyring was read, 300 ms at most, so that ``ChappieAuthSession/state`` tells at once who is
  /// signed in; where the keyring is slower it is ``ChappieAuthState/restoring`` until then. On the thread that this
  /// library works on itself, such as in a tool's handler, it does not wait.
  public static func authSession(
    configuration: ChappieConfiguration = ChappieConfiguration()
  ) -> ChappieAuthSession {
    let session = ChappieAuthSession(configuration: configuration)
    session.waitForFirstReading(atMost: .milliseconds(300))
    return session
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

  /// The accounts that are stored for `service` of an application, in alphabetical order.
  ///
  /// - Throws: ``ChappieAuthError/locked(_:)``, ``ChappieAuthError/keyringUnavailable(_:)``.
  @GLibActor
  public static func accounts(
    ofService service: String = ChappieConfiguration().keychainService,
    applicationID: ChappieApplicationID = .program
  ) async throws -> [String] {
    do {
      return try await SlotRegistry.accounts(ofService: service, of: applicationID)
    } catch let error as CredentialError {
      throw ChappieAuthError(error)
    }
  }
}
