// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

/// German, without a German locale on the machine.
@Suite(.worlds) @GLibActor
struct GermanTests {
  @Test func theCommandSpeaksGerman() async throws {
    try await Catalogues.make()
    try await World.with { world in
      func german(_ arguments: String...) async throws -> Output {
        try await world.chappie(arguments, environment: Catalogues.german)
      }
      #expect(try await german("status").text == "Abgemeldet: Führen Sie chappie sign-in aus.\n")
      // The service says this in English.
      let refused = try await german("ask", "--image", "/nirgends.png", "Hallo")
      #expect(refused.text.hasPrefix("chappie: Das Bild /nirgends.png kann nicht verwendet werden"), "\(refused.text)")
      let asked = try await world.chappie(
        ["erase"], at: [.sees("[j/N] "), .types("nein\r")], environment: Catalogues.german)
      #expect(asked.text.contains("Es wurde nichts gelöscht."), "\(asked.text)")
      let erased = try await world.chappie(
        ["erase"], at: [.sees("[j/N] "), .types("ja\r")], environment: Catalogues.german)
      #expect(erased.status == 0 && erased.text.contains("wurde entfernt"), "\(erased.text)")
    }
  }

  /// The names that scripts read are the same in each language.
  @Test func whatScriptsReadIsNotTranslated() async throws {
    let lines = [["status", "--json"], ["accounts", "--json"], ["usage", "--json"], ["models", "--json"]]
    try await Catalogues.make()
    try await World.signedIn(each: lines) { world, _, line in
      let english = try await world.chappie(line)
      let german = try await world.chappie(line, environment: Catalogues.german)
      func names(_ text: String) -> [Substring] {
        text.matches(of: /"([a-z_]+)":|"(?:class|alt|state)":"([^"]*)"/).map(\.0)
      }
      #expect(names(english.text) == names(german.text) && !names(english.text).isEmpty)
      #expect(english.status == german.status)
    }
  }

  @Test func theLocaleCHasNoTranslation() async throws {
    try await Catalogues.make()
    try await World.with { world in
      let output = try await world.chappie(["status"], environment: ["LC_ALL": "C", "LANGUAGE": "de"])
      #expect(output.text == "Signed out: run chappie sign-in.\n")
    }
  }
}
