// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import ChappieSDKRuntime
import GLibBridge
import Platform
import Templates

extension Verb {
  /// `chappie ask`: asks the model once.
  static let ask = asking(takesPipe: false)

  /// A question without a verb: what is piped in belongs to it.
  static let question = asking(takesPipe: true)

  private static func asking(takesPipe: Bool) -> Verb {
    Verb(
      "ask", tr("Ask, and print the answer as it comes"),
      details: tr(
        """
        A - in the text, or as the file or the image, stands for standard input. Without a text, standard input is the \
        text if it is no terminal. Ctrl-C cancels the question.

        A conversation is what the model reads before a message; a thread is a conversation that is stored. --continue \
        goes on with the conversation of the last ask, which is stored only if that ask was in a thread.
        """),
      account, flag("continue", short: "c", tr("Follow up the last ask")), thread,
      flag("json", tr("Print one JSON object when the answer is complete")), raw, message,
      text("template", short: "t", placeholder: tr("NAME"), tr("Ask what this template says")), templateValues,
      texts(
        "file", short: "f", placeholder: tr("FILE"),
        tr("Send this text file, PDF or office document too, - for standard input; may be repeated")),
      texts("image", placeholder: tr("FILE"), tr("Send this image: a file, - or an https: address; may be repeated")),
      flag("extract", short: "x", tr("Print the last code block of the answer alone")),
      options(
        "schema", placeholder: tr("FILE"), tr("Answer with JSON of the JSON Schema in this file, and check it"),
        read: SchemaFile.init),
      output(tr("Write the answer to this file, too")), words(tr("TEXT…"))
    ) {
      account, continues, thread, json, raw, message, template, values, files, images, extracts, schemas, file, words in
      let schema = schemas.last
      guard thread == nil || !continues else {
        throw CommandLineError(tr("--thread and --continue exclude each other."))
      }
      guard schema == nil || !extracts else {
        throw CommandLineError(tr("--schema and --extract exclude each other."))
      }
      let template = try template.map(TemplateDirectory.template)
      guard template != nil || values.isEmpty else {
        throw CommandLineError(tr("--parameter needs a template: give --template."))
      }
      let input = try AskInput(
        words: words, takesPipe: takesPipe, files: files, images: images, template: template,
        values: Dictionary(values) { $1 })
      var options = message
      if let template { options = try template.options(options, instructions: input.instructions) }
      options.set("output_schema", schema?.text)
      let asking = Asking(
        account: account, question: input.question, options: options,
        output: AnswerOutput(
          form: schema.map { .json($0.schema) } ?? (extracts ? .codeBlock : .whole), json: json, raw: raw,
          file: file.map { OutputFile(path: $0, replaces: true) }))
      return Work.exiting(.init(json: json)) { service in
        try await asking.run(service, thread: thread, continues: continues)
      }
    }
  }
}

/// A question whose conversation can be followed up.
struct Asking {
  let account: String?
  let question: Question
  let options: VariantDictionary
  let output: AnswerOutput

  /// - Parameters:
  ///   - thread: the thread that it belongs to.
  ///   - continues: whether it goes on with the conversation of the last question.
  @GLibActor
  func run(_ service: ServiceConnection, thread: String?, continues: Bool) async throws -> ExitStatus {
    try output.file?.check()
    var thread = thread
    if continues {
      thread = try LastAsk.of(account).thread()
    } else {
      // A question that fails must not be taken for the one before it.
      LastAsk.nothing.note(of: account)
    }
    guard let thread else { return try await print(service, continues: continues) }
    let conversation = try await ThreadConversation(service, account: account, thread: thread, output: output)
    do {
      let status = try await conversation.send(question, options)
      LastAsk(thread: conversation.thread).note(of: account)
      return status
    } catch {
      let isGone = (error as? CommandFailure)?.name == ErrorName.noSuchThread.busName
      LastAsk(thread: isGone ? nil : conversation.thread).note(of: account)
      throw error
    }
  }

  /// Asks outside of threads. The service keeps the conversation until the next question or its own end.
  @GLibActor
  private func print(_ service: ServiceConnection, continues: Bool) async throws -> ExitStatus {
    var options = options
    options.set(continues ? "continue" : "begin", true)
    let shared: ObjectPath?
    do {
      shared = try await service.sharedClient(account)
    } catch let failure as CommandFailure where failure.status == .signInNeeded && !continues {
      // While the keyring is locked, the service does not list the other accounts. Then nothing can be followed up.
      shared = nil
    }
    let client = if let shared { shared } else { try await service.openClient(account) }
    let answer = KeptAnswer()
    // An answer that does not have the wanted form can be followed up as well.
    defer { if answer.isComplete, shared != nil { LastAsk.conversation.note(of: account) } }
    let printer = TurnPrinter(service: service, client: client, output: output, kept: answer)
    return try await printer.print(question, options)
  }
}

/// What `ask --continue` follows up, for each account.
private enum LastAsk {
  /// The conversation that the service keeps outside of threads.
  case conversation
  /// The thread with this id.
  case thread(String)
  /// The last question was not completed, or its thread is gone.
  case nothing

  private static let directory = Directories.runtime + "/chappie"
  private static let path = directory + "/last-threads"
  private static let limit = 64 << 10

  /// - Parameter id: nil if there is no such thread.
  init(thread id: String?) {
    self = id.map { .thread($0) } ?? .nothing
  }

  static func of(_ account: String?) -> LastAsk {
    guard let id = read()[bytesOf: account ?? "default"]?.stringValue else { return .conversation }
    return LastAsk(thread: ThreadID.isValid(id) ? id : nil)
  }

  /// The id of the thread to go on with; nil for the conversation outside of threads.
  ///
  /// - Throws: ``CommandFailure`` if there is nothing to go on with.
  func thread() throws(CommandFailure) -> String? {
    switch self {
    case .conversation: return nil
    case .thread(let id): return id
    case .nothing:
      throw CommandFailure(
        .failed, tr("There is nothing to follow up: the last ask was not completed, or its thread is gone."))
    }
  }

  /// Without the file, the next `ask --continue` goes on outside of threads.
  func note(of account: String?) {
    var threads = Self.read()
    threads[account ?? "default"] =
      switch self {
      case .conversation: nil
      case .thread(let id): .string(id)
      case .nothing: ""
      }
    try? Files.makeDirectory(Self.directory)
    try? Files.write(ChappieJSONValue.object(threads).encoded, to: Self.path)
  }

  private static func read() -> [String: ChappieJSONValue] {
    guard let bytes = try? Files.read(path, limit: limit) else { return [:] }
    return (try? ChappieJSONValue(parsing: bytes.span))?.objectValue ?? [:]
  }
}

extension Verb {
  /// `chappie context`: shows and changes the conversation of `ask`.
  static let context = Verb(
    "context", tr("Show, summarise or forget the conversation of ask outside of threads"),
    account, flag("messages", tr("Print the messages")), flag("clear", tr("Forget it")),
    flag("compact", tr("Have the model summarise it")),
    text("summary", placeholder: tr("TEXT"), tr("Replace it by this summary")), json
  ) { account, messages, clear, compact, summary, json in
    guard [messages, clear, compact, summary != nil].count(where: { $0 }) <= 1 else {
      throw CommandLineError(tr("--messages, --clear, --compact and --summary exclude each other."))
    }
    return Work(json: json) { service in
      let client = try await service.sharedClient(account)
      if messages { return StandardStream.output.write(data: try await Conversation(service, client).messages()) }
      if clear {
        try await service.call(client, "Client", "ClearContext")
        LastAsk.conversation.note(of: account)
      }
      if let text = summary ?? (compact ? "" : nil) {
        try await service.call(client, "Client", "CompactContext", .tuple(text), timeout: nil)
      }
      let conversation = try await Conversation(service, client)
      StandardStream.output.line(json ? conversation.json.line : try conversation.length())
    }
  }
}
