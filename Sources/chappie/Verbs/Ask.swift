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
        """)
    ) { parser in
      let account = parser.account()
      let continues = parser.flag("continue", short: "c", tr("Follow up the last ask"))
      let thread = parser.thread()
      let json = parser.flag("json", tr("Print one JSON object when the answer is complete"))
      let raw = parser.raw()
      let message = parser.message()
      let template = parser.string("template", short: "t", placeholder: tr("NAME"), tr("Ask what this template says"))
      let values = parser.templateValues()
      let files = parser.string(
        "file", short: "f", placeholder: tr("FILE"),
        tr("Send this text file, PDF or office document too, - for standard input; may be repeated"))
      let images = parser.string(
        "image", placeholder: tr("FILE"), tr("Send this image: a file, - or an https: address; may be repeated"))
      let code = parser.flag("extract", short: "x", tr("Print the last code block of the answer alone"))
      let schema = parser.option(
        "schema", placeholder: tr("FILE"), tr("Answer with JSON of the JSON Schema in this file, and check it"),
        read: SchemaFile.init)
      let output = parser.string(
        "output", short: "o", placeholder: tr("FILE"), tr("Write the answer to this file, too"))
      parser.acceptRemaining(placeholder: tr("TEXT…"))
      return { arguments in
        guard arguments[thread] == nil || !arguments[continues] else {
          throw CommandLineError(tr("--thread and --continue exclude each other."))
        }
        guard arguments[schema] == nil || !arguments[code] else {
          throw CommandLineError(tr("--schema and --extract exclude each other."))
        }
        guard arguments[output] != "" else { throw CommandLineError(tr("--output needs the name of a file.")) }
        let template = try arguments[template].map(TemplateDirectory.template)
        guard template != nil || arguments.all(values).isEmpty else {
          throw CommandLineError(tr("--parameter needs a template: give --template."))
        }
        let input = try AskInput(
          words: arguments.remaining, takesPipe: takesPipe, files: arguments.all(files), images: arguments.all(images),
          template: template, values: Dictionary(arguments.all(values)) { $1 })
        var options = try message(arguments)
        if let template { options = try template.options(options, instructions: input.instructions) }
        options.set("output_schema", arguments[schema]?.text)
        let asking = Asking(
          account: arguments[account], question: input.question, options: options,
          output: AnswerOutput(
            form: arguments[schema].map { .json($0.schema) } ?? (arguments[code] ? .codeBlock : .whole),
            json: arguments[json], raw: arguments[raw],
            file: arguments[output].map { OutputFile(path: $0, replaces: true) }))
        return Work.exiting(json: arguments[json]) { service in
          try await asking.run(service, thread: arguments[thread], continues: arguments[continues])
        }
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
    let client: ObjectPath
    do {
      client = try await service.sharedClient(account)
    } catch let failure as CommandFailure where failure.status == .signInNeeded && !continues {
      // While the keyring is locked, the service does not list the other accounts.
      client = try await service.openClient(account)
    }
    let answer = KeptAnswer()
    // An answer that does not have the wanted form can be followed up as well.
    defer { if answer.isComplete { LastAsk.conversation.note(of: account) } }
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
  static let context = Verb("context", tr("Show, summarise or forget the conversation of ask outside of threads")) {
    parser in
    let account = parser.account()
    let messages = parser.flag("messages", tr("Print the messages"))
    let clear = parser.flag("clear", tr("Forget it"))
    let compact = parser.flag("compact", tr("Have the model summarise it"))
    let summary = parser.string("summary", placeholder: tr("TEXT"), tr("Replace it by this summary"))
    let json = parser.json()
    return { arguments in
      let actions = [arguments[messages], arguments[clear], arguments[compact], arguments[summary] != nil]
      guard actions.count(where: { $0 }) <= 1 else {
        throw CommandLineError(tr("--messages, --clear, --compact and --summary exclude each other."))
      }
      return Work(json: arguments[json]) { service in
        let client = try await service.sharedClient(arguments[account])
        if arguments[messages] {
          return StandardStream.output.write(data: try await Conversation(service, client).messages())
        }
        if arguments[clear] {
          try await service.call(client, "Client", "ClearContext")
          LastAsk.conversation.note(of: arguments[account])
        }
        if let text = arguments[summary] ?? (arguments[compact] ? "" : nil) {
          try await service.call(client, "Client", "CompactContext", .tuple(text), timeout: nil)
        }
        let conversation = try await Conversation(service, client)
        StandardStream.output.line(arguments[json] ? conversation.json.line : try conversation.length())
      }
    }
  }
}
