import ChappieSDK

/// A tool call that the user is asked about.
struct ApprovalQuestion: Sendable, Equatable {
  let tool: String
  /// JSON text.
  let arguments: String
  /// The app that brought the tool, where it is known.
  let app: String?

  /// The longest arguments that every notification server shows whole, in characters: about four lines.
  private static let shownLimit = 200

  /// What is called with what, on one line; nil where a part of it would be out of sight in a notification. What is not
  /// seen whole is not approved there.
  var whole: String? {
    let legible = LegibleJSON(arguments)
    guard legible.text.unicodeScalars.count <= Self.shownLimit, !legible.hasGaps, shownTool == tool else { return nil }
    return "\(tool) \(legible.text)"
  }

  /// The tool's name, which a program has chosen.
  var shownTool: String { tool.shown(limit: 64) }
}
