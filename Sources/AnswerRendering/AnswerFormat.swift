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

  /// How wide emoji of several characters are.
  public enum Emoji: Sendable {
    /// As wide as the characters one by one.
    case separate
    /// What follows a joiner takes no room, as in tmux.
    case joined
    /// Two columns.
    case clusters
  }

  /// The width in columns, 10 or more.
  public var width: Int
  /// The height in lines, 2 or more.
  public var height: Int
  public var hasColors: Bool
  public var links: Links
  /// Whether the terminal has the characters of frames.
  public var hasFrames: Bool
  public var emoji: Emoji

  public init(width: Int, height: Int, hasColors: Bool, links: Links, hasFrames: Bool, emoji: Emoji) {
    self.width = max(10, width)
    self.height = max(2, height)
    self.hasColors = hasColors
    self.links = links
    self.hasFrames = hasFrames
    self.emoji = emoji
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
      emoji: isSet("TMUX") ? .joined : isModern && !isInMultiplexer ? .clusters : .separate)
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
    switch emoji {
    case .separate: break
    case .joined:
      let seen = zip(scalars, ["\u{0}"] + scalars).filter { $1 != "\u{200D}" }
      return seen.reduce(0) { $0 + Character($1.0).columns }
    case .clusters:
      if scalars.contains(where: { $0 == "\u{FE0F}" || $0 == "\u{200D}" || $0.properties.isEmojiModifier }),
        scalars.first?.properties.isEmoji == true
      {
        return 2
      }
    }
    return scalars.reduce(0) { $0 + Character($1).columns }
  }
}
