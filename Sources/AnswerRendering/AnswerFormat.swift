// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

/// What the terminal can show.
public struct AnswerFormat: Sendable, Equatable {
  /// What happens with an address that is not in the text.
  public enum Links: Sendable {
    /// It follows the text.
    case written
    /// It is behind the text, and follows it.
    case both
    /// It is behind the text.
    case hidden
  }

  /// The width in columns, 10 or more.
  public var width: Int
  /// The height in lines, 2 or more.
  public var height: Int
  public var hasColors: Bool
  public var links: Links
  /// Whether the terminal has the characters of frames.
  public var hasFrames: Bool
  /// Whether an emoji of several characters is two columns wide, and not as wide as these one by one.
  public var drawsClusters: Bool
  /// Whether lines are wrapped anew when the terminal gets another width. Otherwise they are cut.
  public var rewraps: Bool

  public init(
    width: Int, height: Int, hasColors: Bool, links: Links, hasFrames: Bool, drawsClusters: Bool, rewraps: Bool
  ) {
    self.width = max(10, width)
    self.height = max(2, height)
    self.hasColors = hasColors
    self.links = links
    self.hasFrames = hasFrames
    self.drawsClusters = drawsClusters
    self.rewraps = rewraps
  }

  /// The format of the terminal on standard output; nil if it is none, or one whose cursor cannot move.
  public static var ofTerminal: AnswerFormat? {
    guard StandardStream.output.isTerminal, let size = Terminal.size else { return nil }
    let terminal = CurrentProcess.environment("TERM") ?? "dumb"
    guard terminal != "dumb" else { return nil }
    func isSet(_ names: String...) -> Bool { names.contains { CurrentProcess.environment($0) != nil } }
    let isInMultiplexer = isSet("TMUX", "STY")
    let isModern =
      isSet("KITTY_WINDOW_ID", "WEZTERM_PANE", "GHOSTTY_RESOURCES_DIR")
      || ["xterm-kitty", "foot", "foot-extra", "xterm-ghostty", "wezterm", "contour"].contains(terminal)
    let hasLinks = isModern || isSet("VTE_VERSION", "KONSOLE_VERSION", "ITERM_SESSION_ID") || terminal == "alacritty"
    let hasNone = ["linux", "vt100", "vt220"].contains(terminal)
    return AnswerFormat(
      width: size.columns, height: size.rows,
      hasColors: !isSet("NO_COLOR"),
      links: hasNone ? .written : hasLinks && !isInMultiplexer ? .hidden : .both,
      hasFrames: Charset.ofTerminal.has("─│╭╰•"),
      drawsClusters: isModern && !isInMultiplexer,
      rewraps: isSet("TMUX") || !hasNone && !isSet("XTERM_VERSION", "STY"))
  }

  /// The width of a text in columns, as the terminal draws it.
  func columns(of text: some StringProtocol) -> Int {
    text.utf8.allSatisfy { $0 < 0x80 } ? text.utf8.count : text.reduce(0) { $0 + columns(of: $1) }
  }

  /// The width of a character in columns.
  func columns(of character: Character) -> Int {
    guard !character.isASCII else { return 1 }
    let scalars = character.unicodeScalars
    guard scalars.count > 1 else { return character.columns }
    let isEmoji = scalars.contains { $0 == "\u{FE0F}" || $0 == "\u{200D}" || $0.properties.isEmojiModifier }
    if drawsClusters, isEmoji, scalars.first?.properties.isEmoji == true { return 2 }
    // tmux joins some, but not where its input is parted. Too much only makes a line shorter.
    return scalars.reduce(0) { $0 + Character($1).columns }
  }
}
