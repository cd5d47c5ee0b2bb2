import ChappieSDK
import ChappieSDKRuntime
import ChappieSDKTesting
import Foundation
import GLibBridge
import Testing

/// Times as an app has them.
struct DateTests {
  @Test func aContextTellsWhenItBeganAndChanged() {
    let context = ChappieClientContext(
      sessionID: "s", threadID: "t", model: "m", messages: [], createdAt: 1_800_000_000, updatedAt: 1_800_000_060)
    #expect(context.creationDate == Date(timeIntervalSince1970: 1_800_000_000))
    #expect(context.updateDate.timeIntervalSince(context.creationDate) == 60)
  }

  @Test func aThreadAndItsTurnsTellFractionsOfASecond() {
    let thread = ChappieThreadSummary(
      id: "a", createdAt: 10, updatedAt: 20, archivedAt: 30, createdAtMicroseconds: 500_000,
      updatedAtMicroseconds: 250_000)
    #expect(thread.creationDate == Date(timeIntervalSince1970: 10.5))
    #expect(thread.updateDate == Date(timeIntervalSince1970: 20.25))
    #expect(thread.archiveDate == Date(timeIntervalSince1970: 30))
    #expect(ChappieThreadSummary(id: "a", createdAt: 1, updatedAt: 1).archiveDate == nil)
    let turn = ChappieTurn(id: "t", recordedAt: 40, recordedAtMicroseconds: 125_000, events: [])
    #expect(turn.recordingDate == Date(timeIntervalSince1970: 40.125))
  }

  @GLibActor @Test func aDeviceCodeTellsWhenItExpires() async throws {
    let backend = try StandInBackend()
    let session = Chappie.authSession(configuration: try .testing(.signedOut, backend: backend))
    let code = try await session.startDeviceCodeSignIn()
    #expect(code.expirationDate == Date(timeIntervalSince1970: Double(code.expiresAt)))
    session.cancelSignIn()
    await backend.stop()
  }

  @GLibActor @Test func aUsageLimitTellsWhenItIsOver() async throws {
    let backend = try StandInBackend()
    let client = Chappie.client(configuration: try .testing(.signedIn, backend: backend))
    let window = try #require(try await client.usageLimits().primary)
    let reset = try #require(window.resetsAt)
    #expect(window.resetDate == Date(timeIntervalSince1970: Double(reset)))
    await backend.stop()
  }
}
