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
  /// Shows the wait on standard error until something is printed, for output that shows none itself.
  var spinner: Spinner?

  /// Opens a turn for ``print(_:_:on:)``.
  ///
  /// - Throws: ``CommandFailure``, `GLibError`, `CancellationError`.
  func open(_ options: VariantDictionary) async throws -> OpenedTurn {
    let socket =
      if let thread {
        try await ThreadsProxy(service: service, object: client).openTurn(thread, options)
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
    let turn = if let turn { turn } else { try await open(options) }
    turn.send(question.line)
    let interrupt = Task.onGLib {
      _ = await UnixSignals.first(of: [SIGINT, SIGTERM])
      turn.send(OpenedTurn.cancelling)
    }
    defer { interrupt.cancel() }
    return try await print(turn, model: try options.value("model"), in: view)
  }

  /// - Parameter model: the model of this turn; nil for the client's own.
  private func print(_ turn: OpenedTurn, model: String?, in view: AnswerView?) async throws -> ExitStatus {
    let asking = TurnAsking(turn, view)
    defer { asking.endAll() }
    while true {
      let event = try await next(of: turn)
      switch event["event"]?.stringValue {
      case "text-delta":
        let text = event["text"]?.stringValue ?? ""
        kept?.text += text
        if output.isWhole { view?.append(text) }
      case "tool-call-requested": view?.wait(for: tr("Calling \(event["name"]?.stringValue?.terminalSafeLine ?? "")"))
      case "tool-progressed":
        if let message = event["message"]?.stringValue?.terminalSafeLine, !message.isEmpty { view?.wait(for: message) }
      case "search": view?.wait(for: Self.search(event))
      case "approval-requested", "input-requested":
        guard let question = TurnQuestion(event) else { continue }
        spinner?.stop()
        if TurnQuestion.canBeAsked { asking.ask(question) } else { StandardStream.error.line(question.waiting) }
      case "tool-call-completed":
        await asking.end(event["call"]?.stringValue ?? "")
        view?.wait(for: tr("Thinking"))
      case "completed": return try complete(event, view)
      case "failed":
        // With a response id the answer is complete and only storing it failed, so the whole answer is printed.
        let text = event["response_id"].flatMap { _ in event["partial_text"]?.stringValue }
        var object = object(text, text == nil ? .null : event)
        do {
          if let text { object = try deliver(text, event, view) }
        } catch {
          CommandFailure.report(CommandFailure(error).message)
        }
        if output.isWhole, text == nil { view?.append(Self.sources(event, below: kept?.text ?? "")) }
        view?.finish()
        spinner?.stop()
        throw await explained(CommandFailure(event), event, model: model).preceded(by: object)
      default: continue
      }
    }
  }

  /// What a search does, without control characters.
  private static func search(_ event: ChappieJSONValue) -> String {
    let detail = event["detail"]?.stringValue?.terminalSafeLine ?? ""
    return switch event["status"]?.stringValue {
    case "reading": tr("Reading \(detail)")
    case "searching": detail.isEmpty ? tr("Searching the web") : tr("Searching the web: \(detail)")
    default: tr("Thinking")
    }
  }

  /// Prints what was not printed while the answer came, and keeps what is to be kept.
  private func complete(_ details: ChappieJSONValue, _ view: AnswerView?) throws -> ExitStatus {
    let text = details["text"]?.stringValue ?? ""
    kept?.text = text
    kept?.isComplete = true
    kept?.pages = Self.pages(details)
    let object = try deliver(text, details, view)
    if output.json { StandardStream.output.write(object.line + "\n") }
    return Self.isRefusal(details) ? .declined : .success
  }

  private static func isRefusal(_ details: ChappieJSONValue) -> Bool { details["refusal"]?.boolValue == true }

  /// Prints what was not printed while the answer came, and writes the file.
  ///
  /// - Returns: the description of the answer.
  private func deliver(_ text: String, _ details: ChappieJSONValue, _ view: AnswerView?) throws -> JSONObject {
    if output.isWhole { view?.append(Self.sources(details, below: text)) }
    view?.finish()
    spinner?.stop()
    if !output.json, details["searches"]?.count == 0 {
      StandardStream.error.line(tr("The model did not search the web."))
    }
    if !output.json, details["files_as"] == "text" {
      StandardStream.error.line(tr("The model got the text of the files, and pictures of the first pages of PDFs."))
    }
    // A refusal has no parts.
    let part = try Self.isRefusal(details) && !output.isWhole ? nil : part(of: text, details)
    if !output.json, !output.isWhole {
      write(part ?? text, to: part == nil ? .error : .output)
      if !output.isExact { StandardStream.error.write(data: Self.sources(details, below: text)) }
    }
    let object = object(part ?? text, details)
    do {
      if let part { try output.file?.write(part.hasSuffix("\n") ? part : part + "\n") }
    } catch {
      throw error.preceded(by: object)
    }
    return object
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

  private func next(of turn: OpenedTurn) async throws -> ChappieJSONValue {
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

  /// The pages that an answer names.
  private static func pages(_ details: ChappieJSONValue) -> [Markdown.Page] {
    (details["citations"]?.arrayValue ?? []).compactMap { source in
      source["url"]?.stringValue.map { (source["title"]?.stringValue ?? "", $0) }
    }
  }

  /// The list of the pages below an answer, as Markdown. Empty without pages.
  private static func sources(_ details: ChappieJSONValue, below answer: String) -> String {
    let pages = pages(details)
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
