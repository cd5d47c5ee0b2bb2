// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

/// The help of the command.
extension Help {
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
