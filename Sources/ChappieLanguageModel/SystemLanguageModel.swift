// SPDX-License-Identifier: Apache-2.0
import ChappieSDK

/// A model of the user's ChatGPT plan, with the sign-in that it is used with.
public struct SystemLanguageModel: Sendable {
  /// The default model of the default slot.
  public static let `default` = SystemLanguageModel()

  /// Whether requests can be made now.
  public enum Availability: Sendable, Hashable {
    /// Somebody is signed in.
    case available
    /// Nothing can be asked now, for this reason.
    case unavailable(UnavailableReason)

    /// Why nothing can be asked now.
    public enum UnavailableReason: Sendable, Hashable {
      /// Nobody is signed in. Show your sign-in.
      case signedOut
      /// The sign-in has ended. Show your sign-in.
      case reauthenticationRequired
      /// The keyring or the screen is locked.
      case locked
      /// The keyring is absent or does not answer.
      case keyringUnavailable
      /// The user has not allowed this application to use the plan.
      case planUseNotGranted
      /// The server does not let this user or workspace use the plan here.
      case planUseNotEligible
      /// The keyring has not answered yet. Ask again soon.
      case modelNotReady
    }
  }

  /// The sign-in. Its changes are those of ``availability``; observe either.
  public let session: ChappieAuthSession

  /// The slot, the model and the harness.
  public var configuration: ChappieConfiguration { session.configuration }

  /// Creates a model. The call waits for the keyring, 300 ms at most, as `Chappie.authSession(configuration:)` does.
  ///
  /// - Parameter configuration: names the slot, and has the model, the harness and the policies of the sessions.
  public init(configuration: ChappieConfiguration = ChappieConfiguration()) {
    session = Chappie.authSession(configuration: configuration)
  }

  /// Creates a model from one of those that `ChappieClient.models(filter:)` lists.
  public init(_ model: ChappieModel, configuration: ChappieConfiguration = ChappieConfiguration()) {
    var configuration = configuration
    configuration.model = model.slug
    self.init(configuration: configuration)
  }

  /// Whether requests can be made now, as far as the state of the sign-in tells. It is observable.
  public var availability: Availability {
    let now = session.snapshot
    switch now.lastError {
    case .locked: return .unavailable(.locked)
    case .keyringUnavailable: return .unavailable(.keyringUnavailable)
    default: break
    }
    switch (now.state, now.planUse) {
    case (.restoring, _): return .unavailable(.modelNotReady)
    case (.signedOut, _): return .unavailable(.signedOut)
    // A new sign-in may run beside a stored one.
    case (.signingIn, _) where now.signInMethod == nil: return .unavailable(.signedOut)
    case (.reauthenticationRequired, _): return .unavailable(.reauthenticationRequired)
    case (_, .notGranted): return .unavailable(.planUseNotGranted)
    case (_, .notEligible): return .unavailable(.planUseNotEligible)
    default: return .available
    }
  }

  /// Whether ``availability`` is ``Availability/available``.
  public var isAvailable: Bool { availability == .available }
}
