// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import ChappieSDKTesting
import Foundation
import GLibBridge
import Testing

/// Times as values of `Date`, and addresses as values of `URL`.
struct DateTests {
  @Test func contextHasDates() throws {
    var context = ChappieClientContext(
      sessionID: "s", threadID: "t", model: "m", messages: [], createdAt: Date(timeIntervalSince1970: 1_800_000_000),
      updatedAt: .distantPast)
    context.updatedAt = context.createdAt + 60
    #expect(context.createdAt == Date(timeIntervalSince1970: 1_800_000_000))
    #expect(context.updatedAt.timeIntervalSince(context.createdAt) == 60)
    // As version 0.2 wrote it.
    let json = try ChappieJSONValue(json: String(decoding: JSONEncoder().encode(context), as: UTF8.self))
    #expect(json["createdAt"] == 1_800_000_000)
    #expect(json["updatedAt"] == 1_800_000_060)
  }

  @GLibActor @Test func signInHasDatesAndAddresses() async throws {
    let backend = try StandInBackend()
    let session = Chappie.authSession(configuration: try .testing(.signedOut, backend: backend))
    let code = try await session.startDeviceCodeSignIn()
    #expect(code.expiresAt > .now + 600)
    #expect(code.verificationURI == URL(string: backend.devicePage))
    let page = try await session.startBrowserSignIn(opensBrowser: false)
    #expect(page.expiresAt > .now + 300)
    #expect(page.authorizationURI.absoluteString.hasPrefix(backend.issuer))
    let updates = session.updates
    try session.completeBrowserSignIn(try #require(backend.approve(inBrowser: page.authorizationURI)))
    for await update in updates where update.state == .signedIn { break }
    #expect(session.manageUsageURL?.host() == "chatgpt.com")
    await backend.stop()
  }

  /// A time that is none, or has no place in a message, becomes the start of 1970.
  @Test(arguments: [Double.nan, .infinity, -.infinity, -1, 1e300, 253_402_300_800])
  func impossibleDatesAreTheStartOf1970(_ seconds: Double) {
    let window = ChappieUsageWindow(usedPercent: 1, resetsAt: Date(timeIntervalSince1970: seconds))
    #expect(window.resetsAt == Date(timeIntervalSince1970: 0))
  }
}
