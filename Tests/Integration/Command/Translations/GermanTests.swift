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
      let untranslated = try await world.chappie(["status"], environment: ["LC_ALL": "C", "LANGUAGE": "de"])
      #expect(untranslated.text == "Signed out: run chappie sign-in.\n")
      // The service says this in English, and the clause in it too.
      let refused = try await german("ask", "--image", "/nirgends.png", "Hallo")
      #expect(
        refused.text.hasPrefix("chappie: Das Bild /nirgends.png kann nicht verwendet werden: existiert nicht"),
        "\(refused.text)")
      // A script reads it.
      let object = try await german("ask", "--json", "--image", "/nirgends.png", "Hallo")
      #expect(object.text.contains(#""message":"The image /nirgends.png cannot be used: it"#), "\(object.text)")

      // The names that scripts read are the same in each language.
      _ = try await world.signedInCaller()
      for (detail, shown) in [
        // A label of the window, and not a text of the service.
        ("Sign out", "Sign out"),
        // A clause of a sentence has no full stop.
        (
          "The keyring is locked: unlock it, and try again",
          "Der Schlüsselbund ist gesperrt: Entsperren Sie ihn, und versuchen Sie es noch einmal"
        ),
      ] {
        try await world.sandbox.play(
          #"[{"endpoint":"responses","status":400,"body":{"detail":"\#(detail)"},"times":1}]"#)
        let answered = try await german("ask", "Hallo")
        #expect(answered.text == "chappie: Der Server hat mit Status 400 geantwortet: \(shown)\n")
      }
      func names(_ text: String) -> [Substring] {
        text.matches(of: /"([a-z_]+)":|"(?:class|alt|state)":"([^"]*)"/).map(\.0)
      }
      for verb in ["status", "accounts", "usage", "models"] {
        let (there, here) = (try await world.chappie(verb, "--json"), try await german(verb, "--json"))
        #expect(names(there.text) == names(here.text) && !names(there.text).isEmpty, "\(verb)")
        #expect(there.status == here.status, "\(verb)")
      }

      let asked = try await world.chappie(
        ["erase"], at: [.sees("[j/N] "), .types("nein\r")], environment: Catalogues.german)
      #expect(asked.text.contains("Es wurde nichts gelöscht."), "\(asked.text)")
      try await world.chappie(
        ["erase"], at: [.sees("[j/N] "), .types("ja\r")], environment: Catalogues.german
      ).expect(0, "wurde entfernt")
    }
  }
}
