// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import ChappieSDKRuntime
import GLibBridge

/// The methods that run turns and store them in a thread.
extension ThreadsObject {
  var turnMethods: [String: Handler] {
    [
      "Send": { [unowned self] in try await client.reply($0, .text($0.argument(1)), options: 2, answering($0)) },
      "Stream": { [unowned self] in try await client.stream($0, .text($0.argument(1)), options: 2, answering($0)) },
      "OpenTurn": { [unowned self] in try await client.open($0, options: 1, answering($0)) },
      "Compact": action { [unowned self] in try await compact($0) },
      "UndoTurn": action { [unowned self] in try await undoTurn($0) },
    ]
  }

  private func answering(_ call: BusCall) throws -> ClientObject.Answering {
    let thread: String = try call.argument(0)
    return { [self] prompt, attachments, options, caller in
      guard case .text(let text) = prompt else {
        throw BusError(.invalidArgument, "A thread has its own messages: ask with 'text'.")
      }
      let message = attachments.message(.user, text, options.message)
      return try await inTurn(thread, call, adding: prompt.byteCount + attachments.byteCount) {
        try await $0.run(message, for: caller)
      }
    }
  }

  /// Compacts a thread. This runs as a turn, because it may ask the model, and ends when its caller leaves the bus.
  private func compact(_ call: BusCall) async throws {
    let thread: String = try call.argument(0)
    let summary: String = try call.argument(1)
    try Limits.promptBytes.check(summary.utf8.count)
    let turn = try await client.start(call, .text(summary), TurnOptions([:]), .reply) {
      [self] _, _, _, _ in
      let context = try await inTurn(thread, call) { conversation in
        summary.isEmpty
          ? try await conversation.compactContext(interaction: call.interaction)
          : try await conversation.compactContext(summary: summary)
      }
      return ChappieResponse(
        outputText: context.compactedSummary ?? "", responseID: "", model: context.model, usage: ChappieTokenUsage())
    }
    _ = try await turn.result()
  }

  private func undoTurn(_ call: BusCall) async throws {
    let thread: String = try call.argument(0)
    let text: String? = try call.argument(1, as: VariantDictionary.self).value("text")
    // A lock is told before a running turn is.
    _ = try await Self.checkedSize(of: thread, in: unlockedStore(for: call))
    // A running turn would be stored after the removal, although the model has read the removed one.
    try stored.checkIdle(thread)
    try await inTurn(thread, call) { _ = try await $0.undoTurn(asking: text) }
  }

  /// Runs `body` with the conversation of a thread after the earlier turns of the thread. If the thread cannot be read
  /// now or is too large, the call fails before the wait.
  ///
  /// - Parameter added: the bytes of what is asked. A turn is stored with them also when it fails, so it does not begin
  ///   if the thread could then not be read, or the memory would not suffice.
  private func inTurn<Result: Sendable>(
    _ thread: String, _ call: BusCall, adding added: Int = 0, _ body: (ChappieRuntime) async throws -> Result
  ) async throws -> Result {
    try await stored.turns.withLock(thread) {
      _ = try await Self.checkedSize(of: thread, in: unlockedStore(for: call))
    } _: {
      let memory = client.environment.memory
      let application = await client.application(of: call)
      let size = try await Self.checkedSize(of: thread, in: unlockedStore(for: call), adding: added)
      // A conversation in memory is counted there, until another lease needs the room.
      @GLibActor func reading() -> Int { conversations.kept(thread) != nil ? 0 : MemoryBudget.replyFactor * size }
      memory.end(try memory.lease(reading() + MemoryBudget.replyFactor * (size + added), for: application))
      let lease = try memory.lease(reading(), for: application)
      defer {
        memory.end(lease)
        conversations.count(for: application)
      }
      return try await body(conversations.conversation(thread))
    }
  }
}

/// The conversations of one object. The most recent ones stay in memory: their next turns do not read the thread again,
/// and use the open connection.
@GLibActor
final class ThreadConversations {
  private static let limit = 8

  private let client: ChappieClient
  private let store: any ChappieThreadStore
  private let memory: MemoryBudget
  /// The lease for all conversations, in the name of the application that ran the last turn. Others may take it.
  private var lease: MemoryBudget.Lease?
  /// The conversations by last use, oldest first.
  private var conversations: [(thread: String, runtime: ChappieRuntime)] = []

  /// - Parameters:
  ///   - client: supplies the configuration, the harness and the model of the conversations.
  ///   - store: keeps their turns.
  init(_ client: ChappieClient, _ store: any ChappieThreadStore, _ memory: MemoryBudget) {
    self.client = client
    self.store = store
    self.memory = memory
  }

  isolated deinit {
    endLease()
  }

  /// The conversation of a thread, with the object's current harness and model.
  func conversation(_ thread: String) async -> ChappieRuntime {
    // A runtime whose thread was deleted would begin a new thread.
    let runtime =
      kept(thread)
      ?? Chappie.client(configuration: client.configuration).runtime(store: store, thread: thread)
    forget(thread)
    conversations.append((thread, runtime))
    if conversations.count > Self.limit { conversations.removeFirst() }
    if runtime.client.harness != client.harness { runtime.client.harness = client.harness }
    if runtime.client.modelChoice != client.modelChoice { runtime.client.modelChoice = client.modelChoice }
    return runtime
  }

  /// The conversation in memory. With it the next turn does not read the thread.
  func kept(_ thread: String) -> ChappieRuntime? {
    conversations.first { $0.thread == thread && $0.runtime.currentThread == thread }?.runtime
  }

  /// Renews the lease after a turn of `application`, and drops the least recently used conversations until it fits.
  func count(for application: Application) {
    endLease()
    while !conversations.isEmpty, lease == nil {
      let bytes = conversations.reduce(0) { $0 + $1.runtime.client.contextFootprint }
      lease = try? memory.lease(bytes, for: application)
      if lease == nil { conversations.removeFirst() }
    }
    if let lease { memory.spare(lease) { [weak self] in self?.forgetAll() } }
  }

  func forget(_ thread: String) {
    conversations.removeAll { $0.thread == thread }
  }

  func forgetAll() {
    conversations = []
    endLease()
  }

  private func endLease() {
    if let lease { memory.end(lease) }
    lease = nil
  }
}
