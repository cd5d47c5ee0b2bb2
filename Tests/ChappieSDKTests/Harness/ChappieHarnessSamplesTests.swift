// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import ChappieSDK

struct ChappieHarnessSamplesTests {
  @Test(arguments: ChappieHarnessSamples.named.sorted { $0.key < $1.key }.map(\.value))
  func eachSampleIsValid(_ sample: ChappieHarness) throws {
    #expect(sample.rendered.contains("Codex desktop app"))
    #expect(!sample.name.isEmpty && !sample.summary.isEmpty && !sample.capabilities.isEmpty)
    #expect(try sample.argumentsSchemas().count == sample.tools.count)
    #expect(sample.tools.count >= 3)
  }

  @Test func thereAreFourSamples() {
    #expect(Set(ChappieHarnessSamples.named.values).count == 4)
    #expect(ChappieHarnessSamples.named["inventory"] == ChappieHarnessSamples.inventory)
  }

  @Test func schemasCheckTheirArguments() throws {
    let schemas = try ChappieHarnessSamples.inventory.argumentsSchemas()
    let adjust = try #require(schemas["adjust_quantity"])
    #expect(adjust.violation(in: ["item_id": "a1", "change": -3]) == nil)
    #expect(adjust.violation(in: ["item_id": "a1"]) == "/: must have the property 'change'")
    #expect(adjust.violation(in: ["item_id": "a1", "change": 0.5]) == "/change: must be an integer")
    #expect(schemas["list_low_stock"]?.violation(in: [:]) == nil)
    #expect(ChappieHarnessSamples.inventory.tools.last?.policy == .ask)
    let playback = try ChappieHarnessSamples.mediaPlayer.argumentsSchemas()["control_playback"]
    #expect(playback?.violation(in: ["action": "eject"])?.hasPrefix("/action: must be one of \"play\"") == true)
  }
}
