// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import ChappieSDKTesting
import Foundation
import GLibBridge
import Testing

/// Times as values of `Date`.
struct DateTests {
  @Test func contextHasCreationAndUpdateDates() {
    let context = ChappieClientContext(
      sessionID: "s", threadID: "t", model: "m", messages: [], createdAt: 1_800_000_000, updatedAt: 1_800_000_060)
    #expect(context.creationDate == Date(timeIntervalSince1970: 1_800_000_000))
    #expect(context.updateDate.timeIntervalSince(context.creationDate) == 60)
  }

  @GLibActor @Test func deviceCodeHasAnExpirationDate() async throws {
    let backend = try StandInBackend()
    let session = Chappie.authSession(configuration: try .testing(.signedOut, backend: backend))
    let code = try await session.startDeviceCodeSignIn()
    #expect(code.expirationDate == Date(timeIntervalSince1970: Double(code.expiresAt)))
    session.cancelSignIn()
    await backend.stop()
  }

  @GLibActor @Test func usageWindowHasAResetDate() async throws {
    let backend = try StandInBackend()
    let client = Chappie.client(configuration: try .testing(.signedIn, backend: backend))
    let window = try #require(try await client.usageLimits().primary)
    let reset = try #require(window.resetsAt)
    #expect(window.resetDate == Date(timeIntervalSince1970: Double(reset)))
    await backend.stop()
  }
}
