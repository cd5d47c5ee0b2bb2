import ChappieSDK
import GLibBridge

/// A notification as `org.freedesktop.Notifications.Notify` takes it.
struct DesktopNotification: Equatable {
  /// What a person can do with a click, where the server has actions.
  enum Action: String {
    case signIn = "sign-in"
    case openPage = "open-page"
    case approve
    case deny

    var label: String {
      switch self {
      case .signIn: "Sign in"
      case .openPage: "Open page"
      case .approve: "Approve"
      case .deny: "Deny"
      }
    }

    /// Whether a click beside the buttons does it too: what needs a decision needs a button.
    var isDefault: Bool {
      switch self {
      case .signIn, .openPage: true
      case .approve, .deny: false
      }
    }
  }

  enum Lifetime {
    /// Until it is solved or dismissed.
    case untilSolved
    /// A few seconds, and without a place in the server's history.
    case brief
  }

  let summary: String
  /// Plain text.
  let body: String
  let actions: [Action]
  let category: String
  let lifetime: Lifetime

  init(summary: String, body: String, actions: [Action], category: String, lifetime: Lifetime) {
    self.summary = summary
    self.body = body
    self.actions = actions
    self.category = category
    self.lifetime = lifetime
  }

  /// - Returns: nil when there is nothing to tell.
  init?(_ update: SlotUpdates.Update, of name: SlotName) {
    category = "x-chappie.sign-in"
    switch update {
    case .none:
      return nil
    case .needsSignIn(let failure):
      summary = "Sign in to ChatGPT again"
      let ended = "The sign-in\(name.text.map { " of \($0)" } ?? "") has ended and cannot be renewed."
      let failed = failure.map { "The latest try failed. \($0)" }
      // Servers that say they have actions may hide them well.
      let advice = name.command.map { "In a terminal: \($0)" } ?? "Sign in again in the program that uses it."
      body = Self.lines(ended, failed, advice)
      actions = [.signIn]
      lifetime = .untilSolved
    case .codeWaits(let code):
      // The code is not in the summary, which servers show on locked screens too.
      summary = "Sign in to ChatGPT"
      body = Self.lines(
        "Enter the code \(code.userCode) at \(code.verificationURI)", name.text.map { "This signs in \($0)." },
        "Continue only if you started this sign-in yourself.")
      actions = [.openPage]
      lifetime = .untilSolved
    case .linked:
      summary = "Signed in to ChatGPT"
      body = name.text.map { "This is for \($0)." } ?? ""
      actions = []
      lifetime = .brief
    case .failed(let failure):
      summary = "The sign-in to ChatGPT failed"
      body = Self.lines(failure, name.text.map { "This was for \($0)." })
      actions = []
      lifetime = .brief
    }
  }

  private static func lines(_ lines: String?...) -> String {
    lines.compactMap(\.self).joined(separator: "\n")
  }
}

extension DesktopNotification {
  /// How long a brief update is shown.
  static let briefTime = Duration.seconds(5)

  /// The arguments of `Notify` for a server with `capabilities`.
  ///
  /// - Parameter id: the notification whose place it takes; 0 for none.
  func arguments(replacing id: UInt32, for capabilities: NotificationCapabilities) -> Variant {
    .tuple(
      "Chappie", id, "org.chappie", summary, capabilities.hasMarkup ? Markup.escaped(body) : body,
      capabilities.hasActions ? keysAndLabels : [], hints, timeout(for: capabilities))
  }

  private var keysAndLabels: [String] {
    let whole = actions.first(where: \.isDefault).map { ["default", $0.label] } ?? []
    return whole + actions.flatMap { [$0.rawValue, $0.label] }
  }

  private var hints: VariantDictionary {
    var hints: VariantDictionary = [
      "desktop-entry": "org.chappie", "category": category, "urgency": Variant(bytes: [1], type: "y"),
    ]
    switch lifetime {
    // A click must not take the code away, which the page that it opens asks for.
    case .untilSolved: hints.set("resident", true)
    case .brief: hints.set("transient", true)
    }
    return hints
  }

  /// Milliseconds; 0 is for ever and -1 up to the server.
  private func timeout(for capabilities: NotificationCapabilities) -> Int32 {
    switch (lifetime, actions) {
    case (.brief, _): Int32(Self.briefTime.components.seconds * 1000)
    // A server that keeps what it has shown may take it out of the way; the code is wanted at once.
    case (.untilSolved, [.signIn]) where capabilities.keepsHistory: -1
    case (.untilSolved, _): 0
    }
  }
}

/// What a notification server can do, as far as it matters here.
struct NotificationCapabilities: Sendable, Equatable {
  let hasActions: Bool
  let hasMarkup: Bool
  let keepsHistory: Bool

  /// - Parameter names: as `GetCapabilities` lists them.
  init(_ names: [String]) {
    hasActions = names.contains("actions")
    hasMarkup = names.contains("body-markup")
    keepsHistory = names.contains("persistence")
  }
}
