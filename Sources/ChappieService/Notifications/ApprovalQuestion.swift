import ChappieSDK
import Platform

/// A question to the user about a tool call.
struct ApprovalQuestion: Sendable, Equatable {
  let tool: String
  /// JSON text.
  let arguments: String
  /// The app that registered the tool; nil if it is unknown.
  let app: String?

  /// The longest arguments that every notification server shows whole, in characters: about four lines.
  private static let shownLimit = 200

  /// The tool and its arguments on one line; nil if a notification would not show all of it. A notification offers
  /// approval only for a call that it shows whole.
  var whole: String? {
    let legible = LegibleJSON(arguments)
    guard legible.text.unicodeScalars.count <= Self.shownLimit, !legible.hasGaps, shownTool == tool else { return nil }
    return "\(tool) \(legible.text)"
  }

  /// The tool's name, which a program has chosen.
  var shownTool: String { tool.shown(limit: 64) }
}

extension DesktopNotification {
  init(asking question: ApprovalQuestion) {
    let whose = question.app.map { tr("The tool belongs to \($0).") } ?? tr("The tool belongs to a program of yours.")
    // The summary has no details of the call, since servers show it on locked screens too.
    let summary = tr("ChatGPT wants to use a tool")
    if let whole = question.whole {
      self.init(
        summary: summary,
        body: [whole, whose, tr("Approve only what you asked for; without an answer it does not run.")]
          .joined(separator: "\n"),
        actions: [.approve, .deny], category: "x-chappie.approval", lifetime: .untilSolved)
    } else {
      self.init(
        summary: summary,
        body: [
          tr("\(question.shownTool) would get more than can be shown here."), whose,
          tr("To read all of it and answer, in a terminal: chappie approvals"),
        ].joined(separator: "\n"),
        actions: [.deny], category: "x-chappie.approval", lifetime: .untilSolved)
    }
  }
}
