// SPDX-License-Identifier: Apache-2.0
import ChappieSDKRuntime

/// A signed-in client, a stand-in server and a store.
@GLibActor
struct Answering {
  let backend: StandInBackend
  let configuration: ChappieConfiguration
  let store: any ChappieThreadStore
  let runtime: ChappieRuntime

  /// Runs `body`, and then stops the server.
  static func with(
    _ fixture: ChappieAuthFixture = .signedIn, store: any ChappieThreadStore = ChappieInMemoryThreadStore(),
    tools: [ChappieHostTool] = [], compaction: ChappieAutomaticCompaction = .off, contextWindow: Int? = nil,
    _ body: @GLibActor (Answering) async throws -> Void
  ) async throws {
    var behaviour = StandInConfiguration()
    behaviour.wordsPerSecond = 0
    behaviour.contextWindow = contextWindow
    let backend = try StandInBackend(behaviour)
    var configuration = try ChappieConfiguration.testing(fixture, backend: backend)
    configuration.automaticCompaction = compaction
    let client = Chappie.client(configuration: configuration, tools: tools)
    let answering = Answering(
      backend: backend, configuration: configuration, store: store, runtime: client.runtime(store: store))
    do {
      try await body(answering)
    } catch {
      await backend.stop()
      throw error
    }
    await backend.stop()
  }

  /// A new client and runtime on the same store, as after a restart of the program.
  func again() -> ChappieRuntime {
    Chappie.client(configuration: configuration).runtime(store: store)
  }

  /// The only thread.
  func thread() async throws -> ChappieThread {
    let threads = try await runtime.listThreads()
    guard threads.count == 1 else { throw Surprise("there are \(threads.count) threads") }
    return try await runtime.thread(threads[0].id)
  }

  /// The events of the only turn.
  func events() async throws -> [ChappieTurnEvent] {
    let turns = try await thread().turns
    guard turns.count == 1 else { throw Surprise("there are \(turns.count) turns") }
    return turns[0].events
  }
}

struct Surprise: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}

extension ChappieTurnEvent {
  /// The kind, as in JSON.
  var kind: String { jsonValue["kind"]?.stringValue ?? "" }
}
