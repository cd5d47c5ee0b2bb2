// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import ChappieSDKRuntime
import GLibBridge
import Platform

/// A conversation that the service stores as a thread.
@GLibActor
final class ThreadConversation: ClientConversation {
  /// The name that begins a new thread.
  static let new = "new"

  private let threads: ThreadsProxy
  /// The id; nil until the next message begins a thread.
  private(set) var thread: String?
  private var selectedModel: String?

  /// - Parameter name: the id, the beginning of an id, or `last`; ``new`` begins a thread.
  /// - Throws: ``CommandFailure``.
  init(
    _ service: ServiceConnection, account: String?, thread name: String, model: String? = nil, output: AnswerOutput
  ) async throws {
    threads = try await ThreadsProxy(service, account: account)
    thread = name == Self.new ? nil : try await threads.id(name)
    selectedModel = model
    super.init(service, threads.object, output)
  }

  /// Shows the last turn to a person at a terminal.
  func remind(raw: Bool) async throws {
    guard let thread else { return }
    do {
      let stored = try await Spinner.show(tr("Reading the thread…")) { try await threads.thread(thread) }
      StandardStream.output.write(controlSequences: ThreadText(raw: raw).reminder(stored))
    } catch let error as GLibError where error.name == .limitExceeded {
      // A thread that is too long to show can still be continued.
      CommandFailure.report(CommandFailure(error).message)
    }
  }

  private func printer(_ thread: String, _ answer: KeptAnswer? = nil) -> TurnPrinter {
    TurnPrinter(service: service, client: object, thread: thread, output: output, kept: answer)
  }

  private func withModel(_ options: VariantDictionary) -> VariantDictionary {
    var options = options
    options.set("model", selectedModel)
    return options
  }

  override func prepare(_ options: VariantDictionary) {
    guard let thread else { return }
    open(by: printer(thread), withModel(options))
  }

  override func send(
    _ question: Question, _ options: VariantDictionary, _ answer: KeptAnswer? = nil
  ) async throws -> ExitStatus {
    let options = withModel(options)
    if let thread { return try await printer(thread, answer).print(question, options, on: await takeTurn()) }
    let thread: String = try await threads.call("Create", .tuple(VariantDictionary())).member(0, "thread")
    let status: ExitStatus
    do {
      self.thread = thread
      status = try await printer(thread, answer).print(question, options)
    } catch {
      if (try? await discard(ifEmpty: thread)) == true { self.thread = nil }
      throw error
    }
    if StandardStream.error.isTerminal, !output.json {
      StandardStream.error.line(tr("Thread \(ThreadSummary.short(thread)): go on with --thread."))
    }
    return status
  }

  /// Deletes a thread without turns: its first message could not be sent.
  ///
  /// - Returns: whether the thread was deleted.
  private func discard(ifEmpty thread: String) async throws -> Bool {
    guard try await threads.summary(thread, isTitled: false).turnCount == 0 else { return false }
    try await threads.call("Delete", .tuple(thread))
    return true
  }

  override func clear() async throws -> String {
    thread = nil
    return tr("The thread stays stored. The next message begins another one.")
  }

  override func compact(_ summary: String) async throws {
    guard let thread else { throw CommandFailure(.failed, tr("There is nothing to summarise yet.")) }
    try await threads.compact(thread, summary)
  }

  override func undo(_ last: ChatHistory.Exchange) async throws {
    guard let thread else { throw ChatHistory.nothing }
    if !last.answer.isComplete {
      guard try await isStored(failed: last.question, in: thread) else { return }
    }
    try await threads.undoTurn(thread, asking: last.question.text)
  }

  /// Whether the last turn is this one, which failed. A turn that failed early is not stored.
  private func isStored(failed question: Question, in thread: String) async throws -> Bool {
    var (isFailed, isAsked) = (false, false)
    for event in try await threads.thread(thread).turns.last?.events ?? [] {
      switch event {
      case .error: isFailed = true
      case .input(let message): isAsked = message.text == question.text
      default: break
      }
    }
    return isFailed && isAsked
  }

  override func markdown(_ history: ChatHistory) async throws -> String {
    guard let thread else { throw ChatHistory.nothing }
    return ThreadMarkdown().text(try await threads.thread(thread))
  }

  override func length() async throws -> String {
    guard let thread else { return tr("The next message begins a thread") }
    let summary = try await threads.summary(thread)
    return
      "\(ThreadSummary.quoted(summary.title)), \(ThreadSummary.size(turns: Int(summary.turnCount), bytes: summary.bytes))"
  }

  /// Selects the model for this conversation alone: other programs use the same object.
  override func select(_ model: String) async throws {
    selectedModel = model
  }

  override func model() async throws -> String {
    if let selectedModel { return selectedModel }
    return try await super.model()
  }
}
