// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import ChappieSDK

struct IssuerEndpointsTests {
  private static func endpoints(_ changes: [String: ChappieJSONValue] = [:]) throws(ChappieAuthError)
    -> IssuerEndpoints
  {
    let document: [String: ChappieJSONValue] = [
      "issuer": "https://issuer.example", "authorization_endpoint": "https://issuer.example/authorize",
      "token_endpoint": "https://issuer.example/token", "jwks_uri": "https://issuer.example/keys",
      "revocation_endpoint": "https://issuer.example/revoke",
    ]
    return try IssuerEndpoints(.object(document.merging(changes) { $1 }), issuer: "https://issuer.example")
  }

  @Test func readsTheAddresses() throws {
    let endpoints = try Self.endpoints()
    #expect(endpoints.token == "https://issuer.example/token")
    #expect(endpoints.revocation == "https://issuer.example/revoke")
    #expect(try Self.endpoints(["revocation_endpoint": .null]).revocation == nil)
  }

  /// An address at another server would get the user's tokens.
  @Test(arguments: [
    "https://other.example/token", "http://issuer.example/token", "https://issuer.example.other/token",
    "https://issuer.example:444/token", "https://issuer.example@other.example/token",
    #"https://issuer.example\@other.example/token"#, "//issuer.example/token", "/token", "", "token",
    "https://issuer.example%2eother/token", "HTTPS://other.example/token", "https://issuer.example/token#part",
    "https://issuer.example/" + String(repeating: "a", count: 2048),
  ])
  func refusesAnAddressAtAnotherServer(_ address: String) {
    for key in ["authorization_endpoint", "token_endpoint", "jwks_uri", "revocation_endpoint"] {
      #expect(throws: ChappieAuthError.self) { try Self.endpoints([key: .string(address)]) }
    }
  }

  @Test(
    arguments: [
      ("issuer", "https://issuer.example/"), ("issuer", "https://other.example"), ("issuer", "http://issuer.example"),
      ("issuer", ""), ("authorization_endpoint", .null), ("token_endpoint", .null), ("jwks_uri", .null),
    ] as [(String, ChappieJSONValue)])
  func refusesAnotherIssuerAndADocumentWithoutAnAddress(_ key: String, _ value: ChappieJSONValue) {
    #expect(throws: ChappieAuthError.self) { try Self.endpoints([key: value]) }
  }
}
