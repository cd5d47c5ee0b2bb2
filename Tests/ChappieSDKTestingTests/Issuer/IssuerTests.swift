// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import ChappieSDKTesting
import GLibBridge
import Testing

/// A client that reaches the issuer through a proxy with TLS.
@Suite @GLibActor struct PublicAddressTests {
  @Test func theIssuerIsTheAddressThatTheClientUses() async throws {
    let wire = try await Wire()
    for headers in [
      [:], ["x-forwarded-proto": "https"], ["x-forwarded-proto": "HTTPS, http"],
      ["forwarded": "for=192.0.2.1;Proto=https;host=\"sign-in.example\", for=10.0.0.1;proto=http", "host": "inner"],
      ["x-forwarded-host": "sign-in.example, inner", "x-forwarded-proto": "https", "host": "inner"],
    ] as [[String: String]] {
      let usual = ["host": "sign-in.example"]
      let answer = try await wire.exchange(from: "https://sign-in.example", usual.merging(headers) { $1 })
      #expect(answer.status == 200, "\(headers)")
      #expect(Wire.claims(answer.json["id_token"])["iss"] == "https://sign-in.example", "\(headers)")
    }
    let tls = ["host": "sign-in.example", "x-forwarded-proto": "https"]
    for (address, headers) in [
      ("http://sign-in.example", tls), ("https://other.example", tls),
      ("ftp://sign-in.example", ["host": "sign-in.example"]),
    ] {
      #expect(try await wire.exchange(from: address, headers).refusal == "400 invalid_grant", "\(address)")
    }
  }

  @Test func acceptsOnlyTheConfiguredAddress() async throws {
    let wire = try await Wire { $0.publicURL = "https://sign-in.example:8443" }
    #expect(wire.backend.issuer == "https://sign-in.example:8443")
    #expect(wire.backend.baseURL == "https://sign-in.example:8443/backend-api")
    #expect(wire.backend.devicePage == "https://sign-in.example:8443/codex/device")
    let answer = try await wire.exchange(from: "https://sign-in.example:8443", ["host": "inner"])
    #expect(Wire.claims(answer.json["id_token"])["iss"] == "https://sign-in.example:8443")
    #expect(try await wire.exchange(from: wire.backend.localAddress).status == 400)
    // An origin with TLS needs no other origin for its workspace.
    let accounts = try await wire.send(.get, "/backend-api/wham/accounts/check").json["accounts"]?.arrayValue
    #expect(accounts?.first?["workspace_backend_origin"] == "NO_CONSTRAINT")
  }
}

/// A test can change the lifetime of access tokens while the stand-in runs.
@Suite @GLibActor struct TokenLifetimeTests {
  @Test func theLifetimeAppliesFromTheNextToken() async throws {
    let wire = try await Wire()
    for (seconds, status) in [("0", 400), ("-1", 400), ("soon", 400), ("", 400), ("240", 200)] {
      let answer = try await wire.send(.post, "/sandbox/access-token-lifetime", ["seconds": .string(seconds)])
      #expect(answer.status == status, "\(seconds)")
    }
    let refresh: ChappieJSONValue = [
      "client_id": .string(StandInConfiguration().clientID), "grant_type": "refresh_token",
      "refresh_token": .string(wire.refreshToken),
    ]
    #expect(try await wire.send(.post, "/oauth/token", refresh).json["expires_in"]?.integerValue == 240)
  }
}
