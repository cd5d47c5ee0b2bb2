import ChappieSDK
import ChappieSDKRuntime
import ChappieSDKTesting
import FolderStore
import Foundation
import Testing

/// Tests of an app: its store, its sign-in and its tools. Each has a stand-in server and an empty folder of its own.
@Suite(.timeLimit(.minutes(10)))
final class ExampleTests {
  private let backend: StandInBackend
  private let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)

  init() async throws {
    var settings = StandInConfiguration()
    settings.pollInterval = 1
    backend = try await StandInBackend(settings)
  }

  deinit {
    try? FileManager.default.removeItem(at: folder)
  }

  @Test func storeKeepsTheRules() async throws {
    try await ChappieThreadStoreConformance.run {
      try FolderThreadStore(folder: self.folder.appending(path: UUID().uuidString))
    }
  }

  @Test func firstMessageNamesItsThread() async throws {
    let client = Chappie.client(configuration: try await .testing(.signedIn, backend: backend))
    let runtime = client.runtime(store: try FolderThreadStore(folder: folder))
    #expect(try await runtime.send("Hello").contains("Hello"))
    #expect(try await runtime.listThreads().map(\.title) == ["Hello"])
  }

  @Test func threadGoesOnAfterARestart() async throws {
    let client = Chappie.client(configuration: try await .testing(.signedIn, backend: backend))
    _ = try await client.runtime(store: FolderThreadStore(folder: folder)).send("One")
    try await client.clearContext()
    let restarted = client.runtime(store: try FolderThreadStore(folder: folder))
    try await restarted.resume(thread: try #require(try await restarted.listThreads().first).id)
    #expect(try await restarted.send("Two").contains("3 messages"))
  }

  @Test func codeSignsIn() async throws {
    let session = Chappie.authSession(configuration: try await .testing(.signedOut, backend: backend))
    let code = try await session.startDeviceCodeSignIn()
    await backend.approve(userCode: code.userCode, user: StandInUser(email: "grace@example.com"))
    for await change in session.updates where change.state == .signedIn { break }
    #expect(session.accountInfo?.email == "grace@example.com")
  }

  @Test func pastedAddressSignsIn() async throws {
    let session = Chappie.authSession(configuration: try await .testing(.signedOut, backend: backend))
    let page = try await session.startBrowserSignIn(opensBrowser: false)
    try await session.completeBrowserSignIn(try #require(await backend.approve(inBrowser: page.authorizationURI)))
    for await change in session.updates where change.state == .signedIn { break }
    #expect(ChappieSignIn(authSession: session).step.planLine == "Using ChatGPT plan")
  }

  @Test func deniedToolDoesNotRun() async throws {
    let tool = ChappieHostTool(name: "delete", description: "Deletes.", policy: .ask) { _ in
      ChappieToolResult(output: "deleted")
    }
    let configuration = try await ChappieConfiguration.testing(.signedIn, backend: backend)
    let client = Chappie.client(configuration: configuration, tools: [tool]) { _ in .denied(reason: "never") }
    var results: [ChappieToolExecutionResult.Status] = []
    // The stand-in calls the tool.
    for try await event in client.stream("use delete {}") {
      if case .toolCallCompleted(let result) = event { results.append(result.status) }
    }
    #expect(results == [.denied])
  }

  @Test func cancelledAnswerIsNotKept() async throws {
    let client = Chappie.client(configuration: try await .testing(.signedIn, backend: backend))
    let answer = Task { try await client.send(String(repeating: "word ", count: 1000)) }
    answer.cancel()
    await #expect(throws: CancellationError.self) { try await answer.value }
    #expect(await client.context().messages.isEmpty)
  }
}
