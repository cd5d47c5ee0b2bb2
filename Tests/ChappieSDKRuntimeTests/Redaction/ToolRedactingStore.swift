// SPDX-License-Identifier: Apache-2.0
import ChappieSDKRuntime

/// An example of an app's own store: it drops the arguments and outputs of tools, and forwards the rest.
struct ToolRedactingStore: ChappieThreadStore {
  let store: any ChappieThreadStore

  func append(_ turn: ChappieTurn, to thread: String) async throws {
    var turn = turn
    turn.events = turn.events.map { event in
      switch event {
      case .toolCall(let callID, let name, _): .toolCall(callID: callID, name: name, arguments: "{}")
      case .toolOutput(let callID, let name, let status, _):
        .toolOutput(callID: callID, name: name, status: status, output: "")
      default: event
      }
    }
    try await store.append(turn, to: thread)
  }

  func title(for message: ChappieInputMessage) async -> String { await store.title(for: message) }
  func undoTurn(of id: String, asking text: String?) async throws { try await store.undoTurn(of: id, asking: text) }
  func create(_ thread: ChappieThreadSummary) async throws { try await store.create(thread) }
  func summary(of id: String) async throws -> ChappieThreadSummary? { try await store.summary(of: id) }
  func thread(_ id: String) async throws -> ChappieThread { try await store.thread(id) }
  func threads(_ query: ChappieThreadQuery) async throws -> [ChappieThreadSummary] { try await store.threads(query) }
  func change(_ id: String, _ change: ChappieThreadChange) async throws { try await store.change(id, change) }
  func delete(_ id: String) async throws { try await store.delete(id) }
  func usage() async throws -> ChappieThreadStoreUsage { try await store.usage() }
}
