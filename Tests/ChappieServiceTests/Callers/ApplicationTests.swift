import GLibBridge
import Platform
import Testing

@testable import ChappieService

struct ApplicationTests {
  @Test func aSandboxedAppIsOneWhereverItRuns() throws {
    let app = try #require(AppID("org.example.App"))
    #expect(Application.sandboxed(app) == .sandboxed(try #require(AppID("org.example.App"))))
    #expect(Application.sandboxed(app) != .sandboxed(try #require(AppID("org.example.Other"))))
    #expect(Application.sandboxed(app).kind == .sandboxed)
  }

  /// A number that the kernel gives again is another application.
  @Test func aProcessIsItsNumberAndItsStart() {
    let process = Application.process(Application.Process(id: 7, startTime: 100))
    #expect(process == .process(Application.Process(id: 7, startTime: 100)))
    #expect(process != .process(Application.Process(id: 7, startTime: 101)))
    #expect(process.kind == .unsandboxed)
    #expect(Application.uninspectable.kind == .uninspectable)
  }

  /// What says nothing of the caller does not count against it for good.
  @Test func beingOutOfDescriptorsIsForNow() {
    #expect(Unidentified(FileError.exhausted).isForNow)
    #expect(Unidentified(FileError.missing).isForNow)
    #expect(!Unidentified(FileError.notPermitted).isForNow)
    #expect(!Unidentified(FileError.tooLarge(limit: 1)).isForNow)
    #expect(CallerIdentity.unknownForNow(reason: "is late").denial.message.contains("for the moment"))
  }
}
