// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform
import Testing

@testable import ChappieService

struct ApplicationTests {
  @Test func equalAppIDsAreOneSandboxedApplication() throws {
    let app = try #require(AppID("org.example.App"))
    #expect(Application.sandboxed(app) == .sandboxed(try #require(AppID("org.example.App"))))
    #expect(Application.sandboxed(app) != .sandboxed(try #require(AppID("org.example.Other"))))
    #expect(Application.sandboxed(app).kind == .sandboxed)
  }

  /// The kernel reuses process IDs; the same ID with another start time is another application.
  @Test func aProcessIsIdentifiedByItsIDAndStartTime() {
    let process = Application.process(id: 7, startTime: 100)
    #expect(process == .process(id: 7, startTime: 100))
    #expect(process != .process(id: 7, startTime: 101))
    #expect(process.kind == .unsandboxed)
    #expect(Application.uninspectable.kind == .uninspectable)
  }

  /// A failure that is not the caller's fault is temporary: the service inspects the caller again.
  @Test func exhaustedDescriptorsAreATemporaryFailure() {
    #expect(Unidentified(FileError.exhausted).isForNow)
    #expect(Unidentified(FileError.missing).isForNow)
    #expect(!Unidentified(FileError.notPermitted).isForNow)
    #expect(!Unidentified(FileError.tooLarge(limit: 1)).isForNow)
    #expect(
      CallerIdentity.unidentified(Unidentified("is late", isForNow: true)).denial.message.contains("for the moment"))
  }
}
