// SPDX-License-Identifier: Apache-2.0
import ChappieSDKTesting
import Foundation
import Testing

struct ScenarioErrorTests {
  @Test func theErrorDescribesAnInvalidScenario() async throws {
    let backend = try await StandInBackend()
    let error = await #expect(throws: StandInScenarioError.self) { try await backend.play("{}") }
    #expect((error as (any Error)?)?.localizedDescription == "a scenario is a JSON list of rules")
    await backend.stop()
  }
}
