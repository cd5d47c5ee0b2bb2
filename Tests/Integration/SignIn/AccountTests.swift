// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

/// Further accounts are objects of their own, which `org.freedesktop.DBus.ObjectManager` lists.
@Suite(.worlds) @GLibActor
struct AccountTests {
  private let work = ObjectPath.chappie.appending("account").appending("work")

  /// Signs in to an account through a session, as a program with several accounts does.
  private func signIn(_ account: String, _ caller: Caller) async throws {
    let session = try await caller.signIn(account: account)
    try await caller.call("Manager.Close", session)
  }

  private func managedObjects(_ caller: Caller) async throws -> [String: Variant] {
    let reply = try await caller.connection.call(
      "org.chappie", .chappie, "org.freedesktop.DBus.ObjectManager", "GetManagedObjects")
    let objects = try reply.children[0].children.map { entry in
      (try ObjectPath(variant: entry.children[0]).string, entry.children[1])
    }
    return Dictionary(uniqueKeysWithValues: objects)
  }

  @Test func anAccountAppearsAndGoesWithItsCredential() async throws {
    try await World.signedIn { world, caller in
      let other = try await world.caller()
      #expect(try await managedObjects(other).isEmpty)

      try await signIn("work", caller)
      let added = try await other.signal("InterfacesAdded")
      #expect(added.path == .chappie)
      #expect(try added.arguments.member(0, "object") == work)
      let expected = ["org.chappie.Client", "org.chappie.Session", "org.chappie.Threads"]
      #expect(interfaces(added.arguments.children[1]) == expected)
      let objects = try await managedObjects(other)
      #expect(objects.keys.sorted() == [work.string])
      let listed = try #require(objects[work.string])
      #expect(interfaces(listed) == expected)
      // The owner of an account is shown only to callers that read the object itself.
      #expect("\(listed)".contains("signed-in"))
      #expect(!"\(listed)".contains("@example.com"))
      #expect(try await caller.email(at: work) == "ada@example.com")
      #expect(try await other.state(at: work) == "signed-in")
      #expect(try await other.send("to work", at: work).contains("to work"))

      try await other.call("Session.SignOut", at: work)
      let removed = try await other.signal("InterfacesRemoved")
      #expect(try removed.arguments.member(0, "object") == work)
      #expect(try removed.arguments.member(1, "interfaces", as: [String].self).sorted() == expected)
      #expect(try await managedObjects(other).isEmpty)
      try await eventually("the object to be removed") { (try? await other.state(at: work)) == nil }
      #expect(try await caller.state() == "signed-in")
    }
  }

  @Test func accountsAreListedAfterARestart() async throws {
    try await World.with { world in
      let caller = try await world.caller()
      // Those of other services are not.
      let foreign = try await caller.open("Session", ["keychain_service": "org.example.app", "keychain_account": "x"])
      try await caller.signIn(at: foreign)
      #expect(try await managedObjects(caller).isEmpty)
      // Any text can be an account's name. Characters that a path cannot hold are escaped.
      for account in ["work", "a b/ü", "9"] { try await signIn(account, caller) }
      try await world.service.restart()
      let objects = try await managedObjects(caller)
      let paths = ["_39", "a_20b_2f_c3_bc", "work"].map { "/org/chappie/account/\($0)" }
      #expect(objects.keys.sorted() == paths)
      for path in objects.keys {
        let path = try #require(ObjectPath(path))
        #expect(try await caller.state(at: path) == "signed-in")
        #expect(try await caller.send("hi", at: path).contains("hi"))
      }
      #expect(try await caller.state() == "signed-out")

      // A login without a password leaves the keyring locked until it is unlocked by hand.
      try await world.keyring.lock()
      try await world.service.restart()
      _ = try await managedObjects(caller)
      try await world.keyring.unlock()
      try await eventually("the accounts") { try await managedObjects(caller).keys.sorted() == paths }
    }
  }

  private func interfaces(_ dictionary: Variant) -> [String] {
    dictionary.children.compactMap { try? String(variant: $0.children[0]) }.sorted()
  }
}
