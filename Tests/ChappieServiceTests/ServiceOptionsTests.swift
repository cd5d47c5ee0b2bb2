import ChappieSDK
import Testing

@testable import ChappieService

struct ServiceOptionsTests {
  @Test func noOptionsGiveTheSDKDefaultsForTheDesktopUser() throws {
    #expect(try ServiceOptions().defaults() == ChappieConfiguration(applicationID: .desktopUser))
  }

  @Test func eachOptionReplacesOneDefault() throws {
    var options = ServiceOptions(issuer: "http://127.0.0.1:1/")
    options.model = "gpt-test"
    options.clientID = "client"
    let defaults = try options.defaults()
    #expect(defaults.backend.issuer == "http://127.0.0.1:1")
    #expect(defaults.backend.baseURL == ChappieBackend.production.baseURL)
    #expect(defaults.backend.clientID == "client")
    #expect(defaults.model == "gpt-test")
  }

  @Test(arguments: ["http://example.org", "example.org", "ftp://127.0.0.1"])
  func rejectsServersThatAreNeitherHTTPSNorLoopback(_ url: String) {
    #expect(throws: ChappieClientError.self) { try ServiceOptions(issuer: url).defaults() }
    #expect(throws: ChappieClientError.self) { try ServiceOptions(baseURL: url).defaults() }
  }
}
