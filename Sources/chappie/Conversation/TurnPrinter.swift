// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import Glibc
import Platform

/// Runs one turn of a client or a thread, and prints the answer as it comes. Ctrl-C cancels the turn.
@GLibActor
struct TurnPrinter {
  let service: ServiceConnection
  /// The object of the client, or of the account that keeps the thread.
  let client: ObjectPath
  /// The id of the thread that the turn belongs to; nil for the client's own conversation.
  var thread: String?
  var output = AnswerOutput()
  /// Gets the text of the answer as well.
  var kept: KeptAnswer?

  /// Opens a turn for ``print(_:_:on:)``.
  ///
  /// - Throws: ``CommandFailure``, `GLibError`, `CancellationError`.
  func open(_ options: VariantDictionary) async throws -> OpenedTurn {
    let socket =
      if let thread {
        try await ThreadsProxy(service, at: client).openTurn(thread, options)
      } else {
        try await service.openTurn(client, "Client", .tuple(options))
      }
    return try OpenedTurn(socket, of: service)
  }

  /// Asks, and prints the answer.
  ///
  /// - Parameter turn: a turn that was opened with the same options; nil opens one.
  /// - Returns: ``ExitStatus/success``, or ``ExitStatus/declined`` if the model refused to answer.
  /// - Throws: ``CommandFailure``.
  func print(_ question: Question, _ options: VariantDictionary, on turn: OpenedTurn? = nil) async throws -> ExitStatus
  {
    let view = output.json ? nil : AnswerView(raw: output.raw)
    defer { view?.finish() }
    view?.wait(for: tr("Waiting for the answer"))
    let turn =
      if let turn { turn } else { try await open(options) }
    turn.ask(question)
    let interrupt = Task.onGLib {
      _ = await UnixSignals.first(of: [SIGINT, SIGTERM])
      turn.cancel()
    }
    defer { interrupt.cancel() }
    return try await print(turn, model: try options.value("model"), in: view)
  }

  /// - Parameter model: the model of this turn; nil for the client's own.
  private func print(_ turn: OpenedTurn, model: String?, in view: AnswerView?) async throws -> ExitStatus {
    let asking = TurnAsking(turn, view)
    defer { asking.endAll() }
    while true {
      switch try await next(of: turn) {
      case .delta(let text):
        kept?.text += text
        if output.isWhole { view?.append(text) }
      case .waiting(let reason): view?.wait(for: reason)
      case .question(let question):
        if TurnQuestion.canBeAsked { asking.ask(question) } else { StandardStream.error.line(question.waiting) }
      case .ended(let call):
        await asking.end(call)
        view?.wait(for: tr("Thinking"))
      case .completed(let text, let details):
        kept?.text = text
        kept?.isComplete = true
        let sources = Sources(details)
        kept?.pages = sources.pages
        if output.isWhole { view?.append(sources.list(below: text)) }
        view?.finish()
        if !output.json, sources.areUnused { StandardStream.error.line(tr("The model did not search the web.")) }
        if !output.json, details["files_as"] == "text" {
          StandardStream.error.line(tr("The model got the text of the files, and pictures of the first pages of PDFs."))
        }
        return try finish(text, details)
      case .failed(let failure, let details):
        if output.isWhole { view?.append(Sources(details).list(below: kept?.text ?? "")) }
        view?.finish()
        // With a response id the answer is complete and only storing it failed, so the whole answer is printed.
        let text = details["response_id"].flatMap { _ in details["partial_text"]?.stringValue }
        throw await explained(failure, details, model: model).preceded(
          by: object(text, text == nil ? .null : details))
      }
    }
  }

  /// Prints what was not printed while the answer came, and keeps what is to be kept.
  private func finish(_ text: String, _ details: ChappieJSONValue) throws -> ExitStatus {
    let isRefusal = details["refusal"]?.boolValue == true
    // A refusal has no parts.
    let part = try isRefusal && !output.isWhole ? nil : part(of: text, details)
    if !output.json, !output.isWhole {
      write(part ?? text, to: part == nil ? .error : .output)
      if !output.isExact { StandardStream.error.write(data: Sources(details).list(below: text)) }
    }
    let object = object(part ?? text, details)
    do {
      if let part { try output.file?.write(part.hasSuffix("\n") ? part : part + "\n") }
    } catch {
      throw error.preceded(by: object)
    }
    if output.json { StandardStream.output.write(object.line + "\n") }
    return isRefusal ? .declined : .success
  }

  private func part(of text: String, _ details: ChappieJSONValue) throws -> String {
    do {
      return try output.form.part(of: text)
    } catch {
      if !output.json { write(text, to: .error) }
      throw error.preceded(by: object(text, details))
    }
  }

  private func write(_ text: String, to stream: StandardStream) {
    stream.write(data: text.hasSuffix("\n") || output.isExact && stream == .output ? text : text + "\n")
  }

  private func next(of turn: OpenedTurn) async throws -> AnswerEvent {
    do {
      return try await turn.next()
    } catch let failure as CommandFailure {
      throw failure.preceded(by: object(nil, .null))
    }
  }

  /// Adds what the user can do about the failure of a turn.
  private func explained(_ failure: CommandFailure, _ details: ChappieJSONValue, model: String?) async -> CommandFailure
  {
    guard failure.status == .usageLimitReached else { return await refusal(failure, details, model: model) }
    guard let session: ObjectPath = try? await service.properties(client, "Client").value("Session"),
      let page = try? PlanUse(try await service.properties(session, "Session"))?.page
    else { return failure }
    return failure.managed(at: page)
  }

  /// Turns a refusal by the server into ``ExitStatus/noSuchModel`` if the model is not in the list.
  private func refusal(_ failure: CommandFailure, _ details: ChappieJSONValue, model: String?) async -> CommandFailure {
    guard failure.status == .refused, details["status"]?.number(in: 400...499) != nil,
      let known = try? await service.models(client),
      let own: String = try? await service.properties(client, "Client").value("Model")
    else { return failure }
    return known.isEmpty || known.contains(model ?? own) ? failure : failure.with(.noSuchModel)
  }

  /// The members of the JSON object that describe the answer.
  private func object(_ text: String?, _ details: ChappieJSONValue) -> JSONObject {
    var object: JSONObject = ["thread": thread, "text": text]
    for key in ["model", "response_id"] { object.set(key, details[key]?.stringValue) }
    for key in ["input_tokens", "cached_input_tokens", "output_tokens", "reasoning_tokens"] {
      object.set(key, details[key]?.count?.value)
    }
    object.set("refusal", details["refusal"]?.boolValue)
    object.set("searches", details["searches"]?.count?.value)
    object.set("citations", details["citations"])
    object.set("files_as", details["files_as"]?.stringValue)
    return object
  }
}

/// What an answer tells of the sources that it names.
private struct Sources {
  private let searches: Int?
  let pages: [Markdown.Page]

  init(_ details: ChappieJSONValue) {
    searches = details["searches"]?.count?.value
    pages = (details["citations"]?.arrayValue ?? []).compactMap { source in
      source["url"]?.stringValue.map { (source["title"]?.stringValue ?? "", $0) }
    }
  }

  /// Whether the model could search, and did not.
  var areUnused: Bool { searches == 0 }

  /// The list below an answer, as Markdown. Empty without sources.
  func list(below answer: String) -> String {
    guard !pages.isEmpty else { return "" }
    // Otherwise the list would be a part of an open block of code.
    let end = Markdown.openFence(in: answer).map { "\n" + $0 } ?? ""
    return "\(end)\n\n\(Markdown.sources(pages))\n"
  }
}

/// The text of an answer, so far.
@GLibActor
final class KeptAnswer {
  var text = ""
  /// The pages that the answer names.
  var pages: [Markdown.Page] = []
  /// Whether the answer is whole. Otherwise it failed, or the user cancelled it.
  var isComplete = false
}
