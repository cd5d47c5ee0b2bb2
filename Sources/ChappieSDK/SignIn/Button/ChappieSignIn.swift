// SPDX-License-Identifier: Apache-2.0
import GLibBridge

/// The “Continue with ChatGPT” button of a user interface: what it shows, and what the user can do.
///
/// It reads everything from a session and keeps nothing itself, so any number of them may show the same session. A user
/// interface shows the texts of ``step`` and a button for each of its ``Step/actions``:
///
/// ```swift
/// let signIn = ChappieSignIn(authSession: session)
/// for await step in signIn.updates { show(step) }    // until the session is released
/// try await signIn.perform(.continueInBrowser)       // when its button is clicked
/// ```
///
/// The texts are in English. A program in another language has its own for ``Step/content`` and for each ``Action``.
public struct ChappieSignIn: Sendable {
  /// The session that is shown.
  public let authSession: ChappieAuthSession

  /// - Parameter authSession: the session to show. Its configuration has the name of the program.
  public init(authSession: ChappieAuthSession) {
    self.authSession = authSession
  }

  /// What to show now. `withObservationTracking` and `Observations` see its changes.
  public var step: Step { Step(authSession.snapshot, applicationName: name) }

  /// A new stream of the present step and each later one, as ``ChappieAuthSession/updates``. Two steps that follow each
  /// other may look the same.
  public var updates: some AsyncSequence<Step, Never> & Sendable {
    authSession.updates.map { [name] in Step($0, applicationName: name) }
  }

  private var name: String {
    let configuration = authSession.configuration
    let own = configuration.applicationID.isDesktopUser ? nil : configuration.applicationName
    return own ?? configuration.applicationID.named(nil)
  }

  /// Something that the user can do. ``Step/actions`` lists those that make sense now.
  public enum Action: Sendable, Hashable, CaseIterable {
    /// Signs in in the browser, which this opens.
    case continueInBrowser
    /// Signs in with a code that the user types on any device.
    case useCode
    /// Signs in in the browser, and registers this program with ChatGPT anew. Only this helps when the page shows an
    /// error because the user has removed the program in ChatGPT's settings.
    case connectAnew
    /// Signs in with the method of the stored sign-in. Another account may replace the stored one.
    case useAnotherAccount
    /// Signs in in the browser, and asks the user again for the use of the plan.
    case allowPlanUse
    /// Completes the sign-in with the address at which the browser of another machine arrived.
    case pasteAddress
    /// Ends the running sign-in.
    case cancel
    /// Removes the stored sign-in.
    case signOut

    /// The text of its button.
    public var title: String {
      switch self {
      case .continueInBrowser: "Continue with ChatGPT"
      case .useCode: "Use a code instead"
      case .connectAnew: "Connect anew"
      case .useAnotherAccount: "Use another account"
      case .allowPlanUse: "Allow plan use"
      case .pasteAddress: "Use this address"
      case .cancel: "Cancel"
      case .signOut: "Sign out"
      }
    }
  }

  /// Does `action`. An action that starts a sign-in returns when its page or code is known; the steps then show its
  /// progress and its end.
  ///
  /// - Parameters:
  ///   - address: the text that the user pasted, for ``Action/pasteAddress`` alone.
  ///   - activationToken: the XDG activation token of the click, which lets the browser raise its window.
  /// - Throws: ``ChappieAuthError``, whose description is a sentence for the user; `CancellationError`.
  @GLibActor
  public func perform(_ action: Action, address: String = "", activationToken: String? = nil) async throws {
    switch action {
    case .useCode: try await authSession.startDeviceCodeSignIn()
    case .useAnotherAccount where authSession.signInMethod == .deviceCode:
      try await authSession.startDeviceCodeSignIn(allowsAnotherAccount: true)
    case .continueInBrowser, .connectAnew, .useAnotherAccount, .allowPlanUse:
      try await authSession.startBrowserSignIn(
        asksForPlanUse: action == .allowPlanUse, allowsAnotherAccount: action == .useAnotherAccount,
        registersAnew: action == .connectAnew, activationToken: activationToken)
    case .pasteAddress: try authSession.completeBrowserSignIn(address)
    case .cancel: authSession.cancelSignInAtOnce()
    case .signOut: try await authSession.signOutAndWait()
    }
  }
}
