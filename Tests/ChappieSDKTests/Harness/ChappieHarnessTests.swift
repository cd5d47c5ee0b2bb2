import Testing

@testable import ChappieSDK

struct ChappieHarnessTests {
  @Test func rendersAllItsParts() {
    let harness = ChappieHarness(
      name: "Notes", summary: "Keeps notes.", instructions: "Be brief.", capabilities: ["Listing notes.", "Search."])
    #expect(
      harness.rendered == """
        Be brief.

        App: Notes
        Keeps notes.

        Capabilities:
        - Listing notes.
        - Search.
        """)
  }

  @Test func leavesOutWhatItDoesNotHave() {
    #expect(ChappieHarness(name: "Notes", instructions: "").rendered == "App: Notes")
    #expect(ChappieHarness(name: "", instructions: "Be brief.").rendered == "Be brief.")
    #expect(ChappieHarness(name: "", instructions: "", capabilities: ["A"]).rendered == "Capabilities:\n- A")
    #expect(ChappieHarness.none.rendered == "")
  }

  /// The seeds: the default keeps the model from passing for the Codex desktop app or another Codex surface.
  @Test func theDefaultHasTheGuardrail() {
    #expect(ChappieHarness.default.instructions == ChappieHarness.defaultInstructions)
    #expect(ChappieHarness.default.rendered.hasPrefix(ChappieHarness.defaultInstructions))
    for part in ["Codex desktop app", "Codex command line", "never present yourself as one"] {
      #expect(ChappieHarness.defaultInstructions.contains(part))
    }
  }

  @Test func theDefaultSaysWhereItIsAndWhatItCanDo() {
    let harness = ChappieHarness.default
    #expect(harness.name == "Chappie Linux Harness")
    #expect(!harness.summary.isEmpty)
    #expect(harness.capabilities.count == 4)
    for capability in harness.capabilities { #expect(harness.rendered.contains("\n- \(capability)")) }
  }

  @Test func aHarnessOfOnesOwnKeepsTheGuardrailUnlessReplaced() {
    #expect(ChappieHarness(name: "Notes").rendered.contains("Codex desktop app"))
    #expect(!ChappieHarness(name: "Notes", instructions: "Other.").rendered.contains("Codex"))
  }
}
