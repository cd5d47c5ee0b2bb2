// SPDX-License-Identifier: Apache-2.0

/// Threads, as a caller sees them.
extension Caller {
  func createThread(_ title: String? = nil, at path: ObjectPath = .chappie) async throws -> String {
    var options = VariantDictionary()
    options.set("title", title)
    return try await call("Threads.Create", options, at: path).member(0, "thread")
  }

  func send(
    _ text: String, to thread: String, _ options: VariantDictionary = [:], at path: ObjectPath = .chappie,
    interactive: Bool = false
  ) async throws -> String {
    try await call("Threads.Send", thread, text, options, at: path, interactive: interactive).member(0, "answer")
  }

  func stream(
    _ text: String, to thread: String, _ options: VariantDictionary = [:], at path: ObjectPath = .chappie
  ) async throws -> Turn {
    let id = try await call("Threads.Stream", thread, text, options, at: path).member(0, "turn", as: String.self)
    return Turn(id: id, path: path, caller: self)
  }

  /// Starts a turn and waits until it waits for a tool. The turn continues with ``answer(_:of:at:)``.
  func waitingTurn(
    in thread: String, at path: ObjectPath = .chappie, _ world: World
  ) async throws -> (turn: Turn, call: String) {
    try await world.sandbox.play(
      #"""
      [{"endpoint":"responses","times":1,"tool_calls":[{"name":"ask","arguments":{}}]},
       {"endpoint":"responses","times":1,"text":"Thank you."}]
      """#)
    let turn = try await stream("Ask somebody", to: thread, ["tools": [["name": "ask"] as VariantDictionary]], at: path)
    let request = try await signal("ToolCallRequested", at: path) { try $0.turn == turn.id }
    return (turn, try request.arguments.member(1, "call"))
  }

  func answer(_ call: String, of turn: Turn) async throws {
    try await self.call("Client.SubmitToolResult", turn.id, call, "Yes", VariantDictionary(), at: turn.path)
  }

  func threads(_ filter: VariantDictionary = [:], at path: ObjectPath = .chappie) async throws -> [VariantDictionary] {
    try await call("Threads.List", filter, at: path).member(0, "threads")
  }

  /// The ids of the listed threads.
  func threadIDs(_ filter: VariantDictionary = [:], at path: ObjectPath = .chappie) async throws -> [String] {
    try await threads(filter, at: path).compactMap { $0.text("id") }
  }

  func thread(_ id: String, at path: ObjectPath = .chappie) async throws -> StoredThread {
    let json: String = try await call("Threads.Get", id, at: path).member(0, "json")
    return try JSONDecoder().decode(StoredThread.self, from: Data(json.utf8))
  }

  /// The signals about threads so far, as `thread change`.
  func threadChanges(at path: ObjectPath = .chappie) throws -> [String] {
    try signals("ThreadChanged", at: path).map {
      "\(try $0.arguments.member(0, "thread", as: String.self)) \(try $0.arguments.member(1, "change", as: String.self))"
    }
  }
}

/// A thread as `Get` returns it.
struct StoredThread: Decodable {
  struct Summary: Decodable {
    let id: String
    let title: String
    let archivedAt: Int64?
    let turnCount: Int
    let bytes: Int64
  }

  struct Turn: Decodable {
    struct Event: Decodable {
      /// The message of an input. That of an error is a text, which is not read.
      struct Message: Decodable {
        private enum Key: CodingKey { case text }
        let text: String?

        init(from decoder: any Decoder) throws {
          text = try? decoder.container(keyedBy: Key.self).decode(String.self, forKey: .text)
        }
      }

      let kind: String
      let message: Message?
      let text: String?
      let name: String?
      let arguments: String?
      let output: String?
      let summary: String?
    }

    let events: [Event]
  }

  struct Damage: Decodable {
    let offset: Int64
    let reason: String
  }

  let summary: Summary
  let turns: [Turn]
  let damage: [Damage]

  /// The kinds of the events of all turns.
  var kinds: [[String]] { turns.map { $0.events.map(\.kind) } }

  /// The questions.
  var inputs: [String] { turns.flatMap(\.events).compactMap { $0.message?.text } }
}
