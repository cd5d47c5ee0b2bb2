// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import ChappieSDKRuntime
import GLibBridge
import Platform

/// A conversation that the service stores as a thread.
@GLibActor
final class ThreadConversation: ChatTarget {
  /// The name that begins a new thread.
  static let new = "new"

  let threads: ThreadsProxy
  /// The id; nil until the next message begins a thread.
  private(set) var thread: String?
  private var selectedModel: String?
  private let prepared = PreparedTurn()
  private let output: AnswerOutput

  /// - Parameter name: the id, the beginning of an id, or `last`; ``new`` begins a thread.
  /// - Throws: ``CommandFailure``.
  init(
    _ service: ServiceConnection, account: String?, thread name: String, model: String? = nil, output: AnswerOutput
  ) async throws {
    threads = try await ThreadsProxy(service, account: account)
    thread = name == Self.new ? nil : try await threads.id(name)
    selectedModel = model
    self.output = output
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
    TurnPrinter(service: threads.service, client: threads.object, thread: thread, output: output, kept: answer)
  }

  private func withModel(_ options: VariantDictionary) -> VariantDictionary {
    var options = options
    options.set("model", selectedModel)
    return options
  }

  func prepare(_ options: VariantDictionary) {
    guard let thread else { return }
    prepared.open { [printer = printer(thread), options = withModel(options)] in try await printer.open(options) }
  }

  func send(
    _ question: Question, _ options: VariantDictionary, _ answer: KeptAnswer? = nil
  ) async throws -> ExitStatus {
    let options = withModel(options)
    if let thread { return try await printer(thread, answer).print(question, options, on: await prepared.take()) }
    let thread = try await threads.create()
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

  func clear() -> String {
    thread = nil
    return tr("The thread stays stored. The next message begins another one.")
  }

  func compact(_ summary: String) async throws {
    guard let thread else { throw CommandFailure(.failed, tr("There is nothing to summarise yet.")) }
    try await threads.compact(thread, summary)
  }

  func undo(_ last: ChatHistory.Exchange) async throws {
    guard let thread else { throw ChatHistory.nothing }
    if !last.isAnswered {
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

  func markdown(_ history: ChatHistory) async throws -> String {
    guard let thread else { throw ChatHistory.nothing }
    return ThreadMarkdown().text(try await threads.thread(thread))
  }

  func models() async throws -> [String] {
    try await threads.service.models(threads.object)
  }

  func length() async throws -> String {
    guard let thread else { return tr("The next message begins a thread") }
    let summary = try await threads.summary(thread)
    return
      "\(ThreadSummary.quoted(summary.title)), \(ThreadSummary.size(turns: Int(summary.turnCount), bytes: summary.bytes))"
  }

  /// Selects the model for this conversation alone: other programs use the same object.
  func select(_ model: String) async throws {
    selectedModel = model
  }

  func model() async throws -> String {
    if let selectedModel { return selectedModel }
    return try await threads.service.properties(threads.object, "Client").value("Model") ?? ""
  }
}
