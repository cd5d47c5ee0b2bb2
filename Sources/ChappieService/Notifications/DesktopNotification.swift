// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import Platform

/// The content of a desktop notification, for `org.freedesktop.Notifications.Notify`.
struct DesktopNotification: Equatable {
  /// The actions of a notification, if the server has actions.
  enum Action: String {
    case signIn = "sign-in"
    case openPage = "open-page"
    case copyCode = "copy-code"
    case approve
    case deny
    case allow
    case refuse

    var label: String {
      switch self {
      case .signIn: tr("Sign in", context: "button")
      case .openPage: tr("Open page", context: "button")
      case .copyCode: tr("Copy code", context: "button")
      case .approve: tr("Approve", context: "button")
      case .deny: tr("Deny", context: "button")
      case .allow: tr("Allow", context: "button")
      case .refuse: tr("Don't allow", context: "button")
      }
    }

    /// Whether a click outside of the buttons does it too. A decision needs a button.
    var isDefault: Bool { self == .signIn || self == .openPage }
  }

  /// The title: plain text, without details of the user.
  let summary: String
  /// The first line of the text, which a banner shows even where it cuts the rest. It is bold with markup.
  var headline: String?
  /// Plain text, in one or more lines.
  let body: String
  let actions: [Action]
  /// The hint `category`.
  let category: String
  /// Whether it is shown for ``briefTime`` and not kept in the server's history. Others are shown until the service closes
  /// them or the user dismisses them.
  var isBrief = false
}

extension DesktopNotification {
  /// The notification of an update for the slot `name`; nil if there is nothing to show.
  ///
  /// - Parameter canCopy: whether a click can copy the code.
  init?(_ update: SlotUpdates.Update, of name: SlotName, canCopy: Bool = false) {
    category = "x-chappie.sign-in"
    actions = update.actions(canCopy: canCopy)
    isBrief = update.isBrief
    headline = if case .waiting(.showCode(let code)) = update { tr("Code: \(code.userCode)") } else { nil }
    switch update {
    case .none:
      return nil
    case .needsSignIn(let failure):
      summary = tr("Sign in to ChatGPT again")
      let ended =
        name.text.map { tr("The sign-in of \($0) has ended and cannot be renewed.") }
        ?? tr("The sign-in has ended and cannot be renewed.")
      let failed = failure.map { tr("The latest try failed. \(Translation.of($0))") }
      // Some servers that have actions make them hard to find.
      let advice = name.command.map { tr("In a terminal: \($0)") } ?? tr("Sign in again in the program that uses it.")
      body = Self.lines(ended, failed, advice)
    case .waiting(.showCode(let code)):
      // The summary has no code, since servers show it on locked screens too.
      summary = tr("Sign in to ChatGPT")
      body = Self.lines(
        tr("Enter it at \(code.verificationURI.address)"), name.text.map { tr("This signs in \($0).") },
        tr("Continue only if you started this sign-in yourself."))
    case .waiting:
      summary = tr("Sign in to ChatGPT")
      body = Self.lines(
        tr("Continue in your browser."), name.text.map { tr("This signs in \($0).") },
        // The address is too long for a notification, and some servers have no actions.
        name.command.map { tr("The address of the page, in a terminal: \($0)") },
        tr("Continue only if you started this sign-in yourself."))
    case .linked(let account):
      summary = tr("Signed in to ChatGPT")
      body = Self.lines(
        account.map { tr("The account is \($0.shown(limit: 64)).") }, name.text.map { tr("This is for \($0).") })
    case .failed(let failure):
      summary = tr("The sign-in to ChatGPT failed")
      body = Self.lines(Translation.of(failure), name.text.map { tr("This was for \($0).") })
    }
  }

  static func lines(_ lines: String?...) -> String {
    lines.compactMap(\.self).joined(separator: "\n")
  }
}

extension DesktopNotification {
  /// The display time of a brief update.
  static let briefTime = Duration.seconds(5)

  /// The arguments of `Notify` for a server with `capabilities`.
  ///
  /// - Parameters:
  ///   - id: the notification to replace; 0 for none.
  ///   - capabilities: without actions there are no buttons; with markup the body is escaped.
  func arguments(replacing id: UInt32, for capabilities: NotificationCapabilities) -> Variant {
    .tuple(
      "Chappie", id, "org.chappie", summary, text(for: capabilities),
      capabilities.hasActions ? keysAndLabels : [], hints, timeout(for: capabilities))
  }

  private func text(for capabilities: NotificationCapabilities) -> String {
    let lines =
      capabilities.hasMarkup
      ? [headline.map { "<b>\(Markup.escaped($0))</b>" }, Markup.escaped(body)] : [headline, body]
    return lines.compactMap(\.self).joined(separator: "\n")
  }

  private var keysAndLabels: [String] {
    let whole = actions.first(where: \.isDefault).map { ["default", $0.label] } ?? []
    return whole + actions.flatMap { [$0.rawValue, $0.label] }
  }

  private var hints: VariantDictionary {
    var hints: VariantDictionary = [
      "desktop-entry": "org.chappie", "category": category, "urgency": Variant(bytes: [1], type: "y"),
    ]
    // A click must not remove the code, since the opened page asks for it.
    hints.set(isBrief ? "transient" : "resident", true)
    return hints
  }

  /// The timeout in milliseconds; 0 means no timeout, -1 the server's default.
  private func timeout(for capabilities: NotificationCapabilities) -> Int32 {
    if isBrief { return Int32(clamping: Self.briefTime.wholeMilliseconds) }
    // A server with a history may hide this notification, but not the code, which the user needs at once.
    return actions == [.signIn] && capabilities.keepsHistory ? -1 : 0
  }
}

/// The relevant capabilities of a notification server.
struct NotificationCapabilities: Sendable, Equatable {
  let hasActions: Bool
  let hasMarkup: Bool
  let keepsHistory: Bool

  /// - Parameter names: the result of `GetCapabilities`.
  init(_ names: [String]) {
    hasActions = names.contains("actions")
    hasMarkup = names.contains("body-markup")
    keepsHistory = names.contains("persistence")
  }
}

extension String {
  /// This untrusted text, made safe for a notification: at most `limit` characters and no invisible ones, so that it
  /// cannot pass for something else.
  func shown(limit: Int) -> String {
    let scalars = unicodeScalars.map { $0 == " " || $0.isSeen ? $0 : "\u{FFFD}" }
    let text = String(String.UnicodeScalarView(scalars))
    return text.count > limit ? text.prefix(limit - 1) + "…" : text
  }
}

/// Remembers the notifications on the screen, for the process that follows one that was killed.
///
/// A file in the runtime directory names the bus and the notification server's connection to it. Neither name is ever
/// used again, so the note becomes invalid when the server ends.
@GLibActor
struct NotificationNote {
  private static var lengthLimit: Int { 1 << 16 }

  private let directory = Directories.runtime + "/chappie"
  private let bus: String

  init(_ connection: BusConnection) {
    bus = connection.guid
  }

  /// The server and the notifications of the note; nil without a valid one.
  func read() -> (owner: String, ids: [UInt32])? {
    guard let bytes = try? Files.read(path, limit: Self.lengthLimit) else { return nil }
    let words = String(decoding: bytes, as: UTF8.self).split(separator: " ").map(String.init)
    guard words.count > 2, words[0] == bus, BusName.isUnique(words[1]) else { return nil }
    let numbers = words.dropFirst(2).compactMap { Count(text: $0) }
    let ids = numbers.compactMap { UInt32(exactly: $0.value) }
    return (words[1], ids)
  }

  /// The note is a convenience, so a failure to write it is ignored.
  func write(_ owner: String?, _ ids: Set<UInt32>) {
    guard let owner, !ids.isEmpty else { return Files.remove(path) }
    try? Files.makeDirectory(directory)
    try? Files.write(Array(([bus, owner] + ids.sorted().map { "\($0)" }).joined(separator: " ").utf8), to: path)
  }

  private var path: String { directory + "/notifications" }
}
