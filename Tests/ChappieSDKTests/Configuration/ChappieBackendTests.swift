// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import ChappieSDK

struct ChappieBackendTests {
  @Test func acceptsHTTPSAndTheLoopback() throws {
    let backend = try ChappieBackend(issuer: "https://issuer.example", baseURL: "http://127.0.0.1:8080/backend-api")
    #expect(backend.issuer == "https://issuer.example")
    #expect(backend.baseURL == "http://127.0.0.1:8080/backend-api")
    #expect(backend.clientID == ChappieBackend.productionClientID)
  }

  @Test func removesATrailingSlash() throws {
    let backend = try ChappieBackend(issuer: "https://issuer.example/", baseURL: "https://backend.example/api/")
    #expect(backend.issuer == "https://issuer.example")
    #expect(backend.baseURL == "https://backend.example/api")
  }

  @Test(arguments: ["http://example.org", "ftp://127.0.0.1", "https://user@example.org", "example.org", ""])
  func refusesAnyOtherAddressAndNamesIt(_ url: String) {
    let good = "https://example.org"
    for (issuer, baseURL) in [(url, good), (good, url)] {
      let error = #expect(throws: ChappieClientError.self) {
        try ChappieBackend(issuer: issuer, baseURL: baseURL)
      }
      guard case .invalidArgument(let text)? = error else {
        Issue.record("another error")
        continue
      }
      #expect(text.contains("'\(url)'"))
    }
  }

  @Test func productionAddressesAreValid() throws {
    let production = ChappieBackend.production
    #expect(try ChappieBackend(issuer: production.issuer, baseURL: production.baseURL) == production)
  }
}
