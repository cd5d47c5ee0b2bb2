// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import ChappieSDKTesting
import GLibBridge
import Testing

/// A test can change the lifetime of access tokens while the stand-in runs.
@Suite @GLibActor struct TokenLifetimeTests {
  @Test func theLifetimeAppliesFromTheNextToken() async throws {
    let wire = try await Wire()
    #expect(try await wire.send(.post, "/sandbox/access-token-lifetime", ["seconds": "240"]).status == 200)
    let refresh: ChappieJSONValue = [
      "client_id": .string(StandInConfiguration().clientID), "grant_type": "refresh_token",
      "refresh_token": .string(wire.refreshToken),
    ]
    #expect(try await wire.send(.post, "/oauth/token", refresh).json["expires_in"]?.integerValue == 240)
  }

  @Test(arguments: ["0", "-1", "soon", ""]) func refusesOtherTextsThanPositiveNumbers(_ seconds: String) async throws {
    let wire = try await Wire()
    let answer = try await wire.send(.post, "/sandbox/access-token-lifetime", ["seconds": .string(seconds)])
    #expect(answer.status == 400)
  }
}
