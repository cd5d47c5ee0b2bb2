// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

/// The help of the command.
enum Help {
  /// What `chappie` alone shows: it fits a screen of 24 lines.
  static var overview: String {
    let shown: [Verb] = [.ask, .chat, .threads, .signIn, .status, .models, .usage, .doctor]
    let others = Verb.all.map(\.name).filter { name in !shown.contains { $0.name == name } }
    return tr(
      """
      Asks ChatGPT on your own plan.

      Ask:
      \(list(shown.prefix(3)))

      Your plan:
      \(list(shown.dropFirst(3)))

      Examples:
        chappie "What is a bus?"
        git diff | chappie "Review this."
        chappie chat --thread new

      More commands: \(others.joined(separator: ", ")).
      chappie help shows everything, chappie COMMAND --help one command.
      """) + "\n"
  }

  static var whole: String {
    tr(
      """
      Usage:
        chappie COMMAND [OPTION…]
        chappie TEXT…

      Talks to ChatGPT on your own plan. The sign-in stays in your keyring, with the service org.chappie.
      A text that begins with no command is a question, as with ask; what is piped in belongs to it.

      Commands:
      \(list(Verb.all))

      Exit statuses:
      \(list(ExitStatus.allCases.map { ("\($0.rawValue)", $0.meaning) }))

      chappie COMMAND --help explains each. See chappie(1).
      """) + "\n"
  }

  /// The text below the options of a verb.
  static func details(of verb: Verb, _ command: String) -> String {
    guard !verb.verbs.isEmpty else { return verb.details() }
    return tr("Commands:\n\(list(verb.verbs))\n\n\(command) COMMAND --help explains each.") + " " + verb.details()
  }

  private static func list(_ verbs: some Sequence<Verb>) -> String {
    list(verbs.map { ($0.name, $0.summary()) })
  }

  private static func list(_ entries: [(name: String, text: String)]) -> String {
    let width = entries.map { $0.name.count }.max() ?? 0
    return entries.map { entry in
      "  \(entry.name)\(String(repeating: " ", count: width - entry.name.count))  \(entry.text)"
    }.joined(separator: "\n")
  }
}

extension Help {
  /// The narrowest column for the text of an entry, in terminal columns.
  private static let least = 20
  /// The indentation of a text that has no room beside its name.
  private static let indentation = 6

  /// Writes a help text to standard output. At a terminal no word is broken.
  static func show(_ text: String) {
    guard let columns = Terminal.columns else { return StandardStream.output.write(text) }
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast(text.hasSuffix("\n") ? 1 : 0)
    for line in lines.flatMap({ wrapped(String($0), columns) }) { StandardStream.output.line(line) }
  }

  /// A line within the width. The text behind the name of an entry stays in its column if there is room.
  private static func wrapped(_ line: String, _ columns: Int) -> [String] {
    let entry = line.drop { $0 == " " }
    guard line.columns > columns, line.hasPrefix("  "), let gap = entry.firstRange(of: "  ") else {
      return line.lines(within: columns)
    }
    let name = line[..<gap.lowerBound]
    let text = String(line[gap.upperBound...].drop { $0 == " " })
    let column = line.columns - text.columns
    guard columns - column >= least else {
      return [String(name)] + indented(text, by: indentation, columns)
    }
    let lines = indented(text, by: column, columns)
    return [String(name + lines[0].dropFirst(name.columns))] + lines.dropFirst()
  }

  private static func indented(_ text: String, by indent: Int, _ columns: Int) -> [String] {
    text.lines(within: max(1, columns - indent)).map { String(repeating: " ", count: indent) + $0 }
  }
}
