/// The configuration of an auth session and of a client. Give both the same value: a client finds a session's stored
/// credential only with the same application and the same four keychain fields.
public struct ChappieConfiguration: Sendable, Hashable {
  /// The namespace of this app's credentials. Use your own reverse-DNS name.
  public var keychainService: String

  /// The name of one credential slot. Use a stable, opaque identifier of your user, not an address or a name.
  public var keychainAccount: String

  /// The access group that shares the credential. Nil shares it with nobody.
  public var keychainAccessGroup: String?

  /// The owner of the slots and stores. The default is this program, and no other program uses its slots.
  public var applicationID: ChappieApplicationID

  /// The rule for reading the stored credential.
  public var keychainAccessibility: ChappieKeychainAccessibility

  /// The slug of the model for answers. A model set here is never replaced by another. If none is set, this is
  /// ``ChappieClient/defaultModel``, and another model answers when the backend no longer offers it.
  public var model: String {
    get { chosenModel ?? ModelChoice.standardSlug }
    set { chosenModel = newValue }
  }

  /// The chosen model. Nil when none is set.
  package private(set) var chosenModel: String?
  var modelChoice: ModelChoice { ModelChoice(chosenModel) ?? .standard }

  /// The instructions about the app that each conversation begins with.
  public var harness: ChappieHarness

  /// The number and the delays of retries after HTTP 429.
  public var rateLimitBackoff: ChappieRateLimitBackoffPolicy

  /// The transport for answers.
  public var streamingTransportPolicy: ChappieStreamingTransportPolicy

  /// Whether the client compacts its conversation automatically.
  public var automaticCompaction: ChappieAutomaticCompaction

  /// The application's own name for people, such as on the page of a sign-in in the browser: at most 64 characters. Its
  /// id is shown with it, or alone if this is nil. The desktop user's slots are always those of “Chappie”.
  public var applicationName: String?

  package var backend: ChappieBackend = .production

  /// The rule for reading when the state of the screen is unknown.
  package var unknownLockPolicy: UnknownLockPolicy = .keyring

  /// - Parameter model: the slug of a model. Nil selects the default model.
  public init(
    keychainService: String = "com.chappie.sdk",
    keychainAccount: String = "default",
    keychainAccessGroup: String? = nil,
    keychainAccessibility: ChappieKeychainAccessibility = .whenUnlockedThisDeviceOnly,
    model: String? = nil,
    harness: ChappieHarness = .default,
    rateLimitBackoff: ChappieRateLimitBackoffPolicy = .default,
    streamingTransportPolicy: ChappieStreamingTransportPolicy = .default,
    automaticCompaction: ChappieAutomaticCompaction = .off,
    applicationID: ChappieApplicationID = .program, applicationName: String? = nil
  ) {
    self.keychainService = keychainService
    self.keychainAccount = keychainAccount
    self.keychainAccessGroup = keychainAccessGroup
    self.keychainAccessibility = keychainAccessibility
    chosenModel = model
    self.harness = harness
    self.rateLimitBackoff = rateLimitBackoff
    self.streamingTransportPolicy = streamingTransportPolicy
    self.automaticCompaction = automaticCompaction
    self.applicationID = applicationID
    self.applicationName = applicationName
  }
}
