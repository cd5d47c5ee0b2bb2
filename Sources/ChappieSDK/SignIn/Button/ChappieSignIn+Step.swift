// SPDX-License-Identifier: Apache-2.0

extension ChappieSignIn {
  /// What a “Continue with ChatGPT” button shows at one moment.
  public struct Step: Sendable, Hashable {
    /// The kind of a step, with its values.
    public enum Content: Sendable, Hashable {
      /// Nothing is known of a sign-in yet, because the keyring has not answered.
      case restoring
      /// Nobody is signed in.
      case signedOut
      /// The stored sign-in has ended: its user can sign in again.
      case signInAgain
      /// A sign-in runs, and the user has nothing to do.
      case progress
      /// The user types this code on the page with its address.
      case code(ChappieDeviceCode)
      /// The user connects the program on this page.
      case page(ChappieBrowserPage)
      /// Somebody is signed in. The account is nil while the keyring hides it, or if the sign-in names none.
      case signedIn(ChappieAccountInfo?)
    }

    /// A page for the user.
    public struct Link: Sendable, Hashable {
      /// The text of the link.
      public let title: String
      /// The address of the page.
      public let address: ChappieAddress
    }

    private let snapshot: ChappieAuthSession.Snapshot
    private let name: String

    /// - Parameters:
    ///   - snapshot: the values of the session.
    ///   - applicationName: the name of this program, for the user.
    public init(_ snapshot: ChappieAuthSession.Snapshot, applicationName: String) {
      self.snapshot = snapshot
      name = applicationName
    }

    /// The kind of this step, with its values.
    public var content: Content {
      switch (snapshot.deviceLinkState, snapshot.deviceCode, snapshot.browserPage) {
      case (.waitingForApproval, let code?, _): return .code(code)
      case (.waitingForBrowser, _, let page?): return .page(page)
      default: break
      }
      return switch snapshot.state {
      case .restoring: .restoring
      case .signedOut: .signedOut
      case .signingIn: .progress
      case .signedIn: .signedIn(snapshot.accountInfo)
      case .reauthenticationRequired: .signInAgain
      }
    }

    /// The heading.
    public var title: String {
      switch content {
      case .restoring: "Reading the keyring…"
      case .signedOut: "Sign in to ChatGPT"
      case .signInAgain: "Sign in again"
      case .progress: snapshot.deviceLinkState == .requestingCode ? "Preparing the sign-in…" : "Signing in…"
      case .code: "Enter this code on the page"
      case .page: "Waiting for your browser…"
      case .signedIn(let account): account?.email.map { "You are signed in as \($0)" } ?? "You are signed in"
      }
    }

    /// Sentences below the heading: what the user should know or do, or the last error. Nil if there is nothing to say.
    public var message: String? {
      switch content {
      case .restoring: snapshot.lastError?.description
      case .signedOut: snapshot.lastError?.description ?? welcome
      case .signInAgain: failure ?? "The server no longer accepts your sign-in."
      case .progress: nil
      case .code: "Continue only if you started this sign-in yourself. If somebody gave you this code, stop."
      case .page: "Connect \(name) on the page of ChatGPT. Continue only if you started this sign-in yourself."
      case .signedIn: snapshot.lastError?.description ?? notice
      }
    }

    private var welcome: String {
      "Your browser opens a page of ChatGPT, where you connect \(name). Then it can ask, on your own plan."
    }

    /// After a sign-in in this process.
    private var notice: String? {
      snapshot.deviceLinkState == .linked && snapshot.planUse == .enabled ? "You’re using your ChatGPT plan." : nil
    }

    /// How the last sign-in has failed. Nil if it has not.
    private var failure: String? {
      switch snapshot.deviceLinkState {
      case .declined, .expired, .failed: snapshot.lastError?.description
      default: nil
      }
    }

    /// The code to show, in large type and ready to be copied.
    public var code: String? {
      if case .code(let code) = content { code.userCode } else { nil }
    }

    /// Whether to show that work is in progress.
    public var isBusy: Bool { content == .restoring || content == .progress }

    /// The page for the user to open: that of the running sign-in, or the one that manages the usage of the plan.
    public var link: Link? {
      switch content {
      case .code(let code): Link(title: "Open page", address: code.verificationURI)
      case .page(let page): Link(title: "Open the page again", address: page.authorizationURI)
      case .signedIn: snapshot.manageUsageURL.map { Link(title: "Manage usage", address: $0) }
      case .restoring, .signedOut, .signInAgain, .progress: nil
      }
    }

    /// The line about the user's plan, to show near the place where the user asks. Nil if nobody is signed in or nothing
    /// is known.
    public var planLine: String? {
      guard case .signedIn(let account) = content else { return nil }
      return switch snapshot.planUse {
      case .enabled: "Using ChatGPT plan"
      case .notGranted: "This sign-in does not allow the use of your ChatGPT plan."
      case .notEligible: "ChatGPT does not let this account use its plan here."
      case .limitReached: "The limit of your ChatGPT plan is reached."
      case .unavailable: "ChatGPT could not tell at the last request whether the plan can be used."
      case .unknown: account?.plan.map { "Plan: \($0.displayName)" }
      }
    }

    /// What the user can do now, the main action first.
    public var actions: [Action] {
      switch content {
      case .restoring: []
      case .signedOut: [.continueInBrowser, .useCode] + repairs
      case .signInAgain: [.continueInBrowser, .useCode] + repairs + anotherAccount + [.signOut]
      case .progress, .code: [.cancel]
      case .page: [.pasteAddress, .cancel]
      case .signedIn:
        (snapshot.planUse == .notGranted ? [.allowPlanUse] : []) + repairs + anotherAccount + [.signOut]
      }
    }

    /// Offered after a page that may have shown an error instead of returning.
    private var repairs: [Action] {
      snapshot.hasShownPage && [.cancelled, .expired].contains(snapshot.deviceLinkState) ? [.connectAnew] : []
    }

    private var anotherAccount: [Action] { snapshot.lastError == .accountMismatch ? [.useAnotherAccount] : [] }
  }
}
