import ChappieSDK

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
