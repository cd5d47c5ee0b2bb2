// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import ChappieSDK

struct ChappieHarnessTests {
  @Test func rendersAllItsParts() {
    let harness = ChappieHarness(
      name: "Notes", summary: "Keeps notes.", instructions: "Be brief.", capabilities: ["Listing notes.", "Search."],
      tools: [
        ChappieHarnessTool(name: "find", description: "Finds notes."),
        ChappieHarnessTool(name: "write", description: "Writes one.", policy: .ask),
        ChappieHarnessTool(name: "wipe", description: "", policy: .deny),
      ],
      plugins: [
        ChappieHarnessPlugin(name: "Tags", description: "Adds tags.", version: "1.2.0"),
        ChappieHarnessPlugin(name: "Stars", description: ""),
      ])
    #expect(
      harness.rendered == """
        Be brief.

        App: Notes
        Keeps notes.

        Capabilities:
        - Listing notes.
        - Search.

        Tools:
        - find: Finds notes.
        - write: Writes one. (The user is asked before it runs.)
        - wipe (It is switched off: do not call it.)

        Plugins:
        - Tags 1.2.0: Adds tags.
        - Stars
        """)
  }

  @Test func omitsEmptyParts() {
    #expect(ChappieHarness(name: "Notes", instructions: "").rendered == "App: Notes")
    #expect(ChappieHarness(name: "", instructions: "Be brief.").rendered == "Be brief.")
    #expect(ChappieHarness(name: "", instructions: "", capabilities: ["A"]).rendered == "Capabilities:\n- A")
    #expect(ChappieHarness.none.rendered == "")
  }

  /// The seeds require that the default forbids the model to pose as the Codex desktop app or another Codex surface.
  @Test func guardrailIsKeptUnlessReplaced() {
    let guardrail = ChappieHarness.defaultInstructions
    for part in [
      "Codex desktop app", "Codex command line", "any other Codex surface", "never present yourself as one",
      "capabilities and tools and nothing else", "Never say that you did, or can do, what is not declared",
    ] {
      #expect(guardrail.contains(part))
    }
    #expect(ChappieHarness.default.rendered.hasPrefix(guardrail))
    #expect(ChappieHarness(name: "Notes").rendered.contains(guardrail))
    #expect(!ChappieHarness(name: "Notes", instructions: "Other.").rendered.contains("Codex"))
    let inline = ChappieHarness.inline("Help with cooking.")
    #expect(inline.name == "Inline Harness")
    #expect(inline.instructions == guardrail + "\n\nHelp with cooking.")
    #expect(inline.capabilities.isEmpty && inline.tools.isEmpty && inline.plugins.isEmpty)
    let dish = "cooking"
    #expect(inline == "Help with cooking." && inline == "Help with \(dish).")
  }

  @Test func refusesInvalidOrDuplicateTools() throws {
    let tool = ChappieHarnessTool(name: "find", description: "")
    #expect(try ChappieHarness(tools: [tool]).argumentsSchemas().keys.sorted() == ["find"])
    #expect(throws: ChappieClientError.invalidArgument("The harness declares the tool 'find' twice.")) {
      try ChappieHarness(tools: [tool, tool]).argumentsSchemas()
    }
    #expect(throws: ChappieClientError.self) {
      try ChappieHarness(tools: [ChappieHarnessTool(name: "a b", description: "")]).argumentsSchemas()
    }
  }
}

struct ChappieHarnessSamplesTests {
  @Test(arguments: ChappieHarnessSamples.named.sorted { $0.key < $1.key }.map(\.value))
  func eachSampleIsValid(_ sample: ChappieHarness) throws {
    #expect(sample.rendered.contains("Codex desktop app"))
    #expect(!sample.name.isEmpty && !sample.summary.isEmpty && !sample.capabilities.isEmpty)
    #expect(try sample.argumentsSchemas().count == sample.tools.count)
    #expect(sample.tools.count >= 3)
  }

  @Test func schemasCheckTheirArguments() throws {
    #expect(Set(ChappieHarnessSamples.named.values).count == 4)
    #expect(ChappieHarnessSamples.named["inventory"] == ChappieHarnessSamples.inventory)
    let schemas = try ChappieHarnessSamples.inventory.argumentsSchemas()
    let adjust = try #require(schemas["adjust_quantity"])
    #expect(adjust.violation(in: ["item_id": "a1", "change": -3]) == nil)
    #expect(adjust.violation(in: ["item_id": "a1", "change": 0.5]) == "/change: must be an integer")
    #expect(schemas["list_low_stock"]?.violation(in: [:]) == nil)
    #expect(ChappieHarnessSamples.inventory.tools.last?.policy == .ask)
    let playback = try ChappieHarnessSamples.mediaPlayer.argumentsSchemas()["control_playback"]
    #expect(playback?.violation(in: ["action": "eject"])?.hasPrefix("/action: must be one of \"play\"") == true)
  }
}
