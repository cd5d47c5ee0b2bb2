// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import ChappieSDKTesting
import GLibBridge
import Testing

/// Section 5.3 of the protocol.
@Suite @GLibActor struct AccountsTests {
  private static let path = "/backend-api/wham/accounts/check"

  @Test func returnsTheWorkspaceOfTheToken() async throws {
    let wire = try await Wire { $0.user = StandInUser(email: "grace@example.com", accountID: "acc-1", plan: "pro") }
    let answer = try await wire.send(.get, Self.path).json
    let accounts = try #require(answer["accounts"]?.arrayValue)
    #expect(accounts.count == 1)
    #expect(accounts.first?["id"] == "acc-1")
    #expect(accounts.first?["plan_type"] == "pro")
    // Real clients fail without these two members, and with an origin without TLS.
    #expect(accounts.first?["workspace_backend_origin"] == "https://chatgpt.com")
    #expect(accounts.first?["account_routing_override"] == "NO_CONSTRAINT")
    #expect(answer["default_account_id"] == "acc-1")
    #expect(wire.backend.state.requests["accounts"] == 1)
  }

  @Test func aUserWithoutAnAccountHasNoWorkspace() async throws {
    let wire = try await Wire { $0.user = StandInUser(email: "grace@example.com", accountID: "") }
    #expect(try await wire.send(.get, Self.path).json["accounts"]?.arrayValue == [])
  }
}
