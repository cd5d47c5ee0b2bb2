// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import Observation
import Synchronization

/// A conversation with the model, with the API of Apple's Foundation Models.
///
/// It is a ``ChappieClient`` in other words: the client keeps the conversation and runs the turns, and the session
/// writes the transcript. A request that fails or is cancelled adds nothing to either; only an answer that is a refusal
/// or does not fit its type (``LanguageModelError/refusal(_:)``, ``LanguageModelError/decodingFailure(_:)``) stays in both.
public final class LanguageModelSession: Observable, Sendable {
  private struct State {
    var transcript: Transcript
    var isResponding = false
  }

  /// The client that answers, for what this API does not have, such as the usage of the plan and the model. A question
  /// to the client itself is part of the conversation, but not of ``transcript``.
  public let client: ChappieClient
  private let tools: Result<Void, any Swift.Error>
  private let state: Mutex<State>
  /// Tells the client the messages of the transcript with which the session began.
  private let beginning: Task<Void, any Swift.Error>?
  private let registrar = ObservationRegistrar()

  // MARK: Creation

  /// Creates a session.
  ///
  /// - Parameters:
  ///   - model: the model with its sign-in.
  ///   - tools: the tools that the model may call.
  ///   - instructions: what the model is told first, after the instructions of the configuration's harness.
  public convenience init(
    model: SystemLanguageModel = .default, tools: [any Tool] = [],
    instructions: some InstructionsRepresentable = String?.none
  ) {
    let text = instructions.promptRepresentation.text
    let entry = Transcript.Instructions(
      segments: text.isEmpty ? [] : [Transcript.Segment](text: text),
      toolDefinitions: tools.map { Transcript.ToolDefinition(tool: $0) })
    let isEmpty = entry.segments.isEmpty && tools.isEmpty
    self.init(model: model, tools: tools, transcript: Transcript(entries: isEmpty ? [] : [.instructions(entry)]))
  }

  /// Creates a session with instructions of several parts.
  ///
  /// - Throws: the error of `instructions`.
  public convenience init(
    model: SystemLanguageModel = .default, tools: [any Tool] = [],
    @InstructionsBuilder instructions: () throws -> Instructions
  ) rethrows {
    self.init(model: model, tools: tools, instructions: try instructions())
  }

  /// Creates a session that goes on from a transcript. The model knows its instructions, prompts and answers, but not
  /// which tools were called.
  public init(model: SystemLanguageModel = .default, tools: [any Tool] = [], transcript: Transcript) {
    var configuration = model.configuration
    let texts = [configuration.harness.instructions, transcript.instructions]
    configuration.harness.instructions = texts.filter { !$0.isEmpty }.joined(separator: "\n\n")
    let hostTools = Result { try tools.map { try $0.hostTool() } }
    client = Chappie.client(configuration: configuration, tools: (try? hostTools.get()) ?? [])
    self.tools = hostTools.map { _ in }
    state = Mutex(State(transcript: transcript))
    let messages = transcript.messages
    beginning =
      messages.isEmpty
      ? nil
      : Task { [client] in
        var context = await client.context()
        context.messages = messages
        try await client.resumeContext(context)
      }
  }

  // MARK: State

  /// The entries so far. Those of a request come when it is answered.
  public var transcript: Transcript {
    registrar.access(self, keyPath: \.transcript)
    return state.withLock { $0.transcript }
  }

  /// Whether a request is being answered. Another one then fails with ``Error/concurrentRequests``.
  public var isResponding: Bool {
    registrar.access(self, keyPath: \.isResponding)
    return state.withLock { $0.isResponding }
  }

  /// Prepares for a request that will come soon, so that its first word comes sooner. A failure is left to the request.
  ///
  /// - Parameter promptPrefix: the beginning of that request, which makes no difference here.
  public func prewarm(promptPrefix: Prompt? = nil) {
    Task { await client.expectTurn() }
  }

  // MARK: Requests

  /// Asks the model, and waits for its answer.
  ///
  /// - Returns: the text of the whole answer.
  /// - Throws: ``LanguageModelError``, ``Error/concurrentRequests``, ``ToolCallError``; ``ChappieClientError`` for what
  ///   they have no word for; `CancellationError`.
  @discardableResult
  public func respond(
    to prompt: some PromptRepresentable, options: GenerationOptions = GenerationOptions()
  ) async throws -> Response<String> {
    try await respond(prompt.promptRepresentation, options, .text)
  }

  /// Asks with a prompt of several parts; otherwise as ``respond(to:options:)``.
  @discardableResult
  public func respond(
    options: GenerationOptions = GenerationOptions(), @PromptBuilder prompt: () throws -> Prompt
  ) async throws -> Response<String> {
    try await respond(try prompt(), options, .text)
  }

  /// Asks the model. The request begins at once.
  ///
  /// - Returns: the answer in progress. It throws what ``respond(to:options:)`` throws.
  public func streamResponse(
    to prompt: some PromptRepresentable, options: GenerationOptions = GenerationOptions()
  ) -> ResponseStream<String> {
    stream(prompt.promptRepresentation, options, .text)
  }

  /// Asks with a prompt of several parts; otherwise as ``streamResponse(to:options:)``.
  ///
  /// - Throws: the error of `prompt`.
  public func streamResponse(
    options: GenerationOptions = GenerationOptions(), @PromptBuilder prompt: () throws -> Prompt
  ) rethrows -> ResponseStream<String> {
    stream(try prompt(), options, .text)
  }

  func respond<Content>(
    _ prompt: Prompt, _ options: GenerationOptions, _ form: AnswerForm<Content>
  ) async throws -> Response<Content> {
    try await start(prompt, options, form).valueOrCancelled()
  }

  func stream<Content>(
    _ prompt: Prompt, _ options: GenerationOptions, _ form: AnswerForm<Content>
  ) -> ResponseStream<Content> {
    let (snapshots, continuation) = AsyncThrowingStream.makeStream(
      of: ResponseStream<Content>.Snapshot.self, bufferingPolicy: .bufferingNewest(1))
    let task = start(prompt, options, form, continuation)
    continuation.onTermination = { end in
      task.cancel()
      // The stream would end without an error, like one whose answer is complete.
      if case .cancelled = end { continuation.finish(throwing: CancellationError()) }
    }
    return ResponseStream(snapshots: snapshots, task: task)
  }

  // MARK: The turn

  /// Begins a request, so that ``isResponding`` is true when this returns.
  private func start<Content>(
    _ prompt: Prompt, _ options: GenerationOptions, _ form: AnswerForm<Content>,
    _ snapshots: AsyncThrowingStream<ResponseStream<Content>.Snapshot, any Swift.Error>.Continuation? = nil
  ) -> Task<Response<Content>, any Swift.Error> {
    let isAdmitted = Result { try begin() }
    return Task {
      do {
        try isAdmitted.get()
        let response = try await answer(prompt, options, form) { text in
          snapshots?.yield(ResponseStream.Snapshot(text: text, isText: form.schema == nil))
        }
        snapshots?.finish()
        return response
      } catch {
        let error: any Swift.Error = LanguageModelError(error) ?? error
        snapshots?.finish(throwing: error)
        throw error
      }
    }
  }

  private func answer<Content>(
    _ prompt: Prompt, _ options: GenerationOptions, _ form: AnswerForm<Content>, _ show: (String) -> Void
  ) async throws -> Response<Content> {
    let recorder = RequestRecorder(prompt)
    let response: ChappieResponse
    do {
      try tools.get()
      let options = try options.message(schema: try form.schema?.get().json)
      response = try await turn(prompt, options, recorder, show)
    } catch {
      _ = end(adding: [])
      throw error
    }
    // An answer that cannot be read is part of the conversation too.
    let answer = Result { try form.read(response) }
    let json = (try? answer.get().json) ?? .string(response.outputText)
    let entry = Transcript.Response(segments: [Transcript.Segment](json, of: Content.self))
    let added = end(adding: recorder.entries + [.response(entry)])
    return Response(
      content: try answer.get().value, rawContent: GeneratedContent(json), transcriptEntries: added, response: response)
  }

  /// Runs a turn of the client, and records its calls of tools.
  private func turn(
    _ prompt: Prompt, _ options: ChappieMessageOptions, _ recorder: RequestRecorder, _ show: (String) -> Void
  ) async throws -> ChappieResponse {
    try await beginning?.value
    let message = ChappieInputMessage(role: .user, text: prompt.text, options: options)
    let events = client.events { [client] caller in
      try await client.run(.next(message), for: caller.recorded { recorder.take($0) })
    }
    var text = ""
    for try await event in events {
      switch event {
      case .textDelta(let delta):
        text += delta
        show(text)
      case .completed(let response): return response
      default: break
      }
    }
    throw CancellationError()
  }

  /// - Throws: ``Error/concurrentRequests``.
  private func begin() throws {
    // Before the mutation, which tells observers of a change.
    guard state.withLock({ !$0.isResponding }) else { throw Error.concurrentRequests }
    try registrar.withMutation(of: self, keyPath: \.isResponding) {
      try state.withLock { state in
        guard !state.isResponding else { throw Error.concurrentRequests }
        state.isResponding = true
      }
    }
  }

  /// Ends a request.
  ///
  /// - Parameter entries: those of the request; none if it has failed.
  private func end(adding entries: [Transcript.Entry]) -> ArraySlice<Transcript.Entry> {
    registrar.withMutation(of: self, keyPath: \.isResponding) {
      registrar.withMutation(of: self, keyPath: \.transcript) {
        state.withLock { state in
          state.isResponding = false
          return state.transcript.append(entries)
        }
      }
    }
  }
}
