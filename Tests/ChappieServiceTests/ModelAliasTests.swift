// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import Testing

@testable import ChappieService
@testable import ServiceConfiguration

struct ModelAliasTests {
  @Test func callersMayUseAliases() throws {
    var aliases = ModelAliases()
    _ = aliases.add("fast", "gpt-a")
    #expect(try TurnOptions(["model": "fast"], aliases).message.model == "gpt-a")
    let defaults = ChappieConfiguration(applicationID: .desktopUser)
    #expect(try ChappieConfiguration(["model": "fast"], defaults: defaults, aliases).model == "gpt-a")
  }
}
