// SPDX-License-Identifier: Apache-2.0

/// Makes a call that the service must refuse with the error `name`, and with a message that has each of these parts.
@GLibActor
func expectRefusal<Result>(
  _ name: String, _ comment: Comment? = nil, saying part: String, _ others: String...,
  sourceLocation: SourceLocation = #_sourceLocation, of call: () async throws -> Result
) async throws {
  let reply = try await refusal(sourceLocation: sourceLocation, of: call)
  guard reply.name != name || !([part] + others).allSatisfy({ reply.message.contains($0) }) else { return }
  let about = comment.map { " (\($0))" } ?? ""
  Issue.record("\(reply.name)\(about): \(reply.message)", sourceLocation: sourceLocation)
}

extension World {
  /// Expects that the stand-in has had so many requests.
  func expectRequests(_ counts: [String: Int], sourceLocation: SourceLocation = #_sourceLocation) async throws {
    let requests = try await sandbox.state().requests.filter { counts[$0.key] != nil }
    #expect(requests == counts, sourceLocation: sourceLocation)
  }

  /// A world with an unlocked screen, and a program whose default account is signed in.
  static func withScreen(
    _ plan: Plan = Plan(), _ accessibility: Accessibility? = nil
  ) async throws -> (World, Caller, ScreenSaver) {
    let world = try await begin(plan)
    let saver = try await ScreenSaver(ScreenSaver.gnome, in: world)
    let caller = try await world.caller()
    if let accessibility { try await caller.signIn(accessibility) } else { try await caller.signIn() }
    try await caller.waitFor(Lock("unlocked", [saver.name, "keyring"]))
    return (world, caller, saver)
  }
}

extension ScreenSaver {
  /// Locks the screen, and waits until the service shows it.
  func lock(_ caller: Caller) async throws {
    setActive(true)
    try await caller.waitFor(Lock("locked", [name]))
  }

  /// Unlocks the screen, and waits until the service shows that the keyring is unlocked too.
  func unlock(_ caller: Caller) async throws {
    setActive(false)
    try await caller.waitFor(Lock("unlocked", [name, "keyring"]))
  }
}
