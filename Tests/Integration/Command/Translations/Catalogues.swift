// SPDX-License-Identifier: Apache-2.0

/// The catalogues of the programs under test.
enum Catalogues {
  /// Selects the pseudo-locale, in which each vowel has an accent and each text is in brackets.
  static let pseudo = ["LANGUAGE": "en_XA"]
  static let german = ["LANGUAGE": "de"]

  private static let making = Task {
    for command in ["compile", "pseudo"] {
      let script = URL(filePath: SourceTree.path(of: "scripts/translations"))
      let process = try Process.run(script, arguments: [command, SourceTree.path(of: ".build/share")])
      process.waitUntilExit()
      try #require(process.terminationStatus == 0)
    }
  }

  /// Makes them, once, where the programs look for them.
  static func make() async throws {
    try await making.value
  }

  /// The words of `text` in the pseudo-locale that no catalogue has: those with a vowel without an accent.
  ///
  /// - Parameter data: what the text shows and is not translated, such as names.
  static func untranslatedWords(of text: String, except data: [String]) -> [String] {
    var text = text
    for name in data.sorted(by: { $0.count > $1.count }) { text = text.replacing(name, with: " ") }
    // Codes of a sign-in, controls of the terminal, names of options, and addresses.
    for pattern in [/[A-Z0-9]{4}-[A-Z0-9]{4,}/, /\u{1B}\[[0-9;?]*[A-Za-z]/, /--?[a-z][a-z0-9-]*/, /https?:[^\s⟧]*/] {
      text = text.replacing(pattern, with: " ")
    }
    return text.matches(of: /\p{L}+/).map { String($0.output) }.filter { word in
      word.count > 1 && word.contains { "aeiouAEIOU".contains($0) }
    }
  }
}
