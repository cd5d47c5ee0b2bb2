// SPDX-License-Identifier: Apache-2.0

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

  /// Whether the model may search the web for answers whose options say nothing about it. Off by default, because a
  /// search carries words of the question to a search engine: ask the user first.
  public var webSearch: ChappieWebSearch

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
    applicationID: ChappieApplicationID = .program, applicationName: String? = nil,
    webSearch: ChappieWebSearch = .off
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
    self.webSearch = webSearch
  }
}

/// Whether a client compacts its conversation automatically as the model's context window fills.
public enum ChappieAutomaticCompaction: Sendable, Hashable {
  /// Never. The app may still compact the conversation itself.
  case off
  /// Before a message is sent, if the request fills more than this part of the window, in percent from 1 to 100. The
  /// length of the texts gives an estimate of the request's size. Nothing is compacted for a model without a stated
  /// window.
  case whenFull(percent: Double)

  /// 80 percent, because the summary itself needs room.
  public static let recommended = ChappieAutomaticCompaction.whenFull(percent: 80)

  /// Whether `tokens` exceed the limit for a window of `contextWindow` tokens.
  func isDue(tokens: Int, contextWindow: Int) -> Bool {
    switch self {
    case .off: false
    case .whenFull(let percent): Double(tokens) > Double(contextWindow) * min(max(percent, 1), 100) / 100
    }
  }
}

/// The rule for reading a stored credential. The keychain is the desktop's keyring.
public enum ChappieKeychainAccessibility: String, Sendable, Hashable, CaseIterable {
  /// Only while the keyring and the screen are unlocked. The default.
  case whenUnlockedThisDeviceOnly = "when-unlocked-this-device-only"

  /// After the first unlock of the keyring since login, even when it is locked again. For work in the background.
  case afterFirstUnlockThisDeviceOnly = "after-first-unlock-this-device-only"
}

/// The rule for reading when the state of the screen is unknown.
package enum UnknownLockPolicy: String, Sendable, Hashable, CaseIterable {
  /// The keyring alone decides.
  case keyring
  /// Nothing is read.
  case deny
}

/// The transport for answers: a WebSocket, or HTTP with server-sent events. Both deliver the same events.
public struct ChappieStreamingTransportPolicy: Sendable, Hashable {
  /// Whether the client tries a WebSocket first. It usually delivers the first word sooner.
  public let prefersWebSocket: Bool
  /// The number of reconnections for a WebSocket that drops during an answer, 0 or more.
  public let maxWebSocketReconnectionAttempts: Int
  /// Whether the client switches to HTTP, for ten minutes, when a WebSocket is not available.
  public let fallsBackToHTTPSSE: Bool

  /// A negative number counts as 0.
  public init(
    prefersWebSocket: Bool = true, maxWebSocketReconnectionAttempts: Int = 5, fallsBackToHTTPSSE: Bool = true
  ) {
    self.prefersWebSocket = prefersWebSocket
    self.maxWebSocketReconnectionAttempts = max(0, maxWebSocketReconnectionAttempts)
    self.fallsBackToHTTPSSE = fallsBackToHTTPSSE
  }

  /// A WebSocket first, with 5 reconnections, and HTTP where there is none.
  public static let `default` = ChappieStreamingTransportPolicy()

  /// For networks that block WebSockets, for tests, and for finding a transport error.
  public static let httpSSEOnly = ChappieStreamingTransportPolicy(
    prefersWebSocket: false, maxWebSocketReconnectionAttempts: 0)
}

/// The model for a client's requests.
package enum ModelChoice: Sendable, Hashable {
  /// No model is chosen: the backend's catalogue decides.
  case standard
  /// The model with this slug and no other.
  case chosen(String)

  /// The model for answers when none is chosen and the backend offers it.
  static let standardSlug = "gpt-5.5"

  /// Returns nil when `slug` is nil.
  init?(_ slug: String?) {
    guard let slug else { return nil }
    self = .chosen(slug)
  }
}

/// The number and the delays of retries after HTTP 429.
///
/// A used-up quota counts as such an answer, and ends in ``ChappieClientError/usageLimitReached(_:)`` after the retries.
/// If it resets only after the last of them, none can help, and the error comes at once.
public struct ChappieRateLimitBackoffPolicy: Sendable, Hashable {
  /// Retries after the first 429; 0 turns them off.
  public let maxRetries: Int
  /// Seconds before the first retry. It doubles with each retry.
  public let initialDelay: Double
  /// The longest wait in seconds, even if the server asks for more.
  public let maximumDelay: Double
  /// Whether a `Retry-After` header replaces the computed delay.
  public let respectsRetryAfterHeader: Bool

  /// Negative and non-finite numbers count as 0. No wait is longer than a year.
  public init(
    maxRetries: Int = 2, initialDelay: Double = 1, maximumDelay: Double = 30, respectsRetryAfterHeader: Bool = true
  ) {
    self.maxRetries = max(0, maxRetries)
    self.initialDelay = Self.clamped(initialDelay)
    self.maximumDelay = Self.clamped(maximumDelay)
    self.respectsRetryAfterHeader = respectsRetryAfterHeader
  }

  /// 2 retries, after 1 and 2 seconds, or when the server says so, but after 30 seconds at the latest.
  public static let `default` = ChappieRateLimitBackoffPolicy()
  /// No retry: the first 429 is the error.
  public static let disabled = ChappieRateLimitBackoffPolicy(maxRetries: 0)

  /// The wait in seconds before retry number `retry`, counted from 0. Nil when no retry is left.
  ///
  /// - Parameter retryAfter: the wait that the server asked for, in seconds.
  package func delay(beforeRetry retry: Int, retryAfter: Double?) -> Double? {
    guard retry < maxRetries else { return nil }
    if respectsRetryAfterHeader, let retryAfter {
      return min(Self.clamped(retryAfter), maximumDelay)
    }
    // 2^62 seconds exceed every maximum, so the exponent stops there and nothing overflows.
    let factor = Double(1 << min(retry, 62))
    return min(initialDelay * factor, maximumDelay)
  }

  /// The longest that all retries together may wait, in seconds; at most a year.
  var longestWait: Double { Self.clamped(maximumDelay * Double(maxRetries)) }

  private static func clamped(_ seconds: Double) -> Double {
    seconds.isNaN ? 0 : min(max(0, seconds), 365 * 24 * 60 * 60)
  }
}
