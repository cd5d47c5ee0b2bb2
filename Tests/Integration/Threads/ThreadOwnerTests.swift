// SPDX-License-Identifier: Apache-2.0

/// Owners of threads, and the number of threads that each may have.
@Suite(.worlds) @GLibActor
struct ThreadOwnerTests {
  @Test func eachAccountHasItsOwnThreads() async throws {
    let (_, caller) = try await World.signedIn()
    let work = try await caller.signIn(account: "work")
    let account = ObjectPath.chappie.appending("account").appending("work")
    let client = try await caller.open("Client", ["keychain_account": "work"])
    let own = try await caller.createThread("Own")
    let thread = try await caller.createThread("Work", at: account)
    #expect(try await caller.threadIDs() == [own])
    #expect(try await caller.threadIDs(at: account) == [thread])
    #expect(try await caller.threadIDs(at: client) == [thread])
    try await expectRefusal("NoSuchThread") { try await caller.thread(thread) }
    #expect(try await caller.send("One", to: thread, at: client).contains("1 message"))
    #expect(try await caller.send("Two", to: thread, at: account).contains("3 messages"))

    // The threads stay when their account is signed out, and are listed again with it.
    try await caller.call("Session.SignOut", at: work)
    try await caller.signIn(at: work)
    try await eventually("the account to return") { (try? await caller.threadIDs(at: account)) == [thread] }
  }

  @Test(.sandboxes)
  func aSandboxedAppHasItsOwnThreads() async throws {
    let (world, outside) = try await World.signedIn()
    let users = try await outside.createThread("The user's")
    let app = try await world.caller(app: "org.example.App")
    let widget = try await world.caller(app: "org.example.Widget")
    try await expectRefusal("AccessDenied") { try await app.threads() }
    try await expectRefusal("AccessDenied") { try await app.thread(users) }
    try await expectRefusal("AccessDenied") { try await app.send("hi", to: users) }
    let client = try await app.open("Client")
    let other = try await widget.open("Client")
    #expect(try await app.threads(at: client).isEmpty)
    try await expectRefusal("NoSuchThread") { try await app.thread(users, at: client) }
    let thread = try await app.createThread("The app's", at: client)
    #expect(try await app.threadIDs(at: client) == [thread])
    #expect(try await widget.threads(at: other).isEmpty)
    try await expectRefusal("AccessDenied") { try await widget.thread(thread, at: client) }
    #expect(try await outside.threadIDs() == [users])
    try await expectRefusal("AccessDenied") { try await outside.threads(at: client) }

    // The account returns, and its threads with it.
    let again = try await world.caller(app: "org.example.App")
    #expect(try await again.threadIDs(at: again.open("Client")) == [thread])
  }

  /// An app cannot fill the disk with empty threads.
  @Test(.sandboxes) func creatingThreadsIsRateLimited() async throws {
    let (world, outside) = try await World.signedIn()
    let app = try await world.caller(app: "org.example.App")
    let again = try await world.caller(app: "org.example.App")
    let clients = [(app, try await app.open("Client")), (again, try await again.open("Client"))]
    var begun = 0
    var refused = 0
    let start = ContinuousClock.now
    for number in 0..<150 {
      // One a second is always allowed.
      if number == 60, ContinuousClock.now - start > .seconds(30) {
        try Test.cancel("Its creation takes half a second on this disk.")
      }
      let (caller, client) = clients[number % 2]
      do {
        _ = try await caller.createThread(at: client)
        begun += 1
      } catch let error as GLibError {
        #expect(ErrorReply(error).name == "LimitExceeded")
        refused += 1
      }
    }
    #expect(begun >= 60 && refused > 0)
    _ = try await outside.createThread()
  }

  /// Each account with threads has a key in the keyring.
  @Test func accountsWithThreadsAreLimited() async throws {
    let world = try await World.begin()
    let caller = try await world.caller()
    let known = try await caller.open("Client", ["keychain_account": "known"])
    _ = try await caller.createThread(at: known)
    let threads = world.directories.data.appending(path: "chappie/threads")
    let apps = try FileManager.default.contentsOfDirectory(atPath: threads.path).filter { !$0.contains(".") }
    let app = threads.appending(path: try #require(apps.first))
    for number in 0..<63 {
      try FileManager.default.createDirectory(
        at: app.appending(path: "other-\(number)"), withIntermediateDirectories: true)
    }
    let client = try await caller.open("Client", ["keychain_account": "one-more"])
    try await expectRefusal("LimitExceeded") { try await caller.createThread(at: client) }
    _ = try await caller.createThread(at: known)
  }
}
