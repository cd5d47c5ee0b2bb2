// SPDX-License-Identifier: Apache-2.0
import GLibBridge

/// The entry points of the library.
public enum Chappie {
  /// The sign-in of the slot that `configuration` names. Each call returns an independent session.
  ///
  /// The call waits for the keyring, 300 ms at most, so that ``ChappieAuthSession/state`` shows the account at once.
  /// With a slower keyring the state is ``ChappieAuthState/restoring`` at first. The call does not wait on the
  /// library's own thread, such as in an observer of another session.
  ///
  /// - Parameter configuration: names the slot; by default it is the default slot.
  public static func authSession(
    configuration: ChappieConfiguration = ChappieConfiguration()
  ) -> ChappieAuthSession {
    let session = ChappieAuthSession(configuration: configuration)
    session.waitForFirstReading(atMost: .milliseconds(300))
    return session
  }

  /// A client with its own conversation, using the credential of the slot that `configuration` names.
  ///
  /// - Parameters:
  ///   - configuration: names the slot, and holds the model, the harness and the policies of the client.
  ///   - tools: the tools that this program runs. If the harness declares a tool of the same name, that declaration
  ///     counts; otherwise the tool's own manifest declares it.
  ///   - toolApprovalHandler: asks the user about a call of a tool whose policy is ``ChappieToolPolicy/ask``. A call
  ///     without an answer within five minutes is denied. Without a handler, such a call ends its turn with
  ///     ``ChappieClientError/toolApprovalDenied(_:_:)``.
  public static func client(
    configuration: ChappieConfiguration = ChappieConfiguration(), tools: [ChappieHostTool] = [],
    toolApprovalHandler: ChappieToolApprovalHandler? = nil
  ) -> ChappieClient {
    ChappieClient(configuration: configuration, tools: ToolSet(tools, approve: toolApprovalHandler))
  }

  /// A client of the default slot with another harness.
  ///
  /// - Parameters:
  ///   - harness: the instructions and tools of which the model is told.
  ///   - tools: as in ``client(configuration:tools:toolApprovalHandler:)``.
  ///   - toolApprovalHandler: as in ``client(configuration:tools:toolApprovalHandler:)``.
  public static func client(
    harness: ChappieHarness, tools: [ChappieHostTool] = [], toolApprovalHandler: ChappieToolApprovalHandler? = nil
  ) -> ChappieClient {
    client(
      configuration: ChappieConfiguration(harness: harness), tools: tools, toolApprovalHandler: toolApprovalHandler)
  }

  /// A client of the default slot with another transport policy for answers.
  public static func client(streamingTransportPolicy: ChappieStreamingTransportPolicy) -> ChappieClient {
    client(configuration: ChappieConfiguration(streamingTransportPolicy: streamingTransportPolicy))
  }

  /// A client of the default slot with another policy for HTTP 429.
  public static func client(rateLimitBackoff: ChappieRateLimitBackoffPolicy) -> ChappieClient {
    client(configuration: ChappieConfiguration(rateLimitBackoff: rateLimitBackoff))
  }

  /// What the library collects, for what purpose, and who gets it, as Markdown in English. A program that collects more
  /// needs a declaration of its own.
  public static var privacyDeclaration: String { String(decoding: PackageResources.PRIVACY_md, as: UTF8.self) }

  /// The accounts with a stored credential for `service` of an application, in alphabetical order.
  ///
  /// - Parameters:
  ///   - service: the keychain service of the accounts; by default that of the default slot.
  ///   - applicationID: the application that stored them; by default this program.
  /// - Throws: ``ChappieAuthError/locked(_:)``, ``ChappieAuthError/keyringUnavailable(_:)``, `CancellationError`.
  @GLibActor
  public static func accounts(
    ofService service: String = ChappieConfiguration().keychainService,
    applicationID: ChappieApplicationID = .program
  ) async throws -> [String] {
    try await ChappieAuthError.converting {
      try await SlotRegistry.store.accounts(ofService: service, of: applicationID)
    }
  }
}
