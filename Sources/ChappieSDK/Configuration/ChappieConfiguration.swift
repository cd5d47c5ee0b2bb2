/// What an auth session and a client need to know. Give both the same value: a client finds the credential that a
/// session stored only under the same application and the same four keychain fields.
public struct ChappieConfiguration: Sendable, Hashable {
  /// The namespace of this app's credentials. Use your own reverse-DNS name.
  public var keychainService: String

  /// One credential slot per value. Use a stable, opaque identifier of your user, no address or name.
  public var keychainAccount: String

  /// Shares the credential with the members of an access group; nil shares it with nobody.
  public var keychainAccessGroup: String?

  /// Whose slots and stores these are: by default this program's own, which no other program's configuration names.
  public var applicationID: ChappieApplicationID

  /// When the stored credential may be read.
  public var keychainAccessibility: ChappieKeychainAccessibility

  /// The slug of the model that answers. A model that is set here is never replaced by another. Where none is set,
  /// this is ``ChappieClient/defaultModel``, and another model answers where the backend no longer offers it.
  public var model: String {
    get { chosenModel ?? ModelChoice.standardSlug }
    set { chosenModel = newValue }
  }

  /// Nil where nobody has chosen one.
  package private(set) var chosenModel: String?
  var modelChoice: ModelChoice { ModelChoice(chosenModel) ?? .standard }

  /// What the model is told about the app before each conversation.
  public var harness: ChappieHarness

  /// How often and how soon a request is sent again after HTTP 429.
  public var rateLimitBackoff: ChappieRateLimitBackoffPolicy

  /// How answers come.
  public var streamingTransportPolicy: ChappieStreamingTransportPolicy

  /// Whether the client compacts its conversation by itself.
  public var automaticCompaction: ChappieAutomaticCompaction

  package var backend: ChappieBackend = .production

  /// The rule where the state of the screen is unknown.
  package var unknownLockPolicy: UnknownLockPolicy = .keyring

  /// - Parameter model: nil is the default model.
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
    applicationID: ChappieApplicationID = .program
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
  }
}
