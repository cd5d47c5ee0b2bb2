// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

/// A command of `chappie`, such as `ask`, with its options.
struct Verb: Sendable {
  /// Declares the options, and returns a function that reads the parsed arguments.
  typealias Preparation = @Sendable (CommandLineParser) -> (CommandLineArguments) throws -> Work

  /// What a parsed command line asks for. It throws ``CommandFailure``, `GLibError` and `CancellationError`.
  struct Work: Sendable {
    /// What standard output gets.
    enum Output: Sendable {
      case text
      /// JSON, for failures as well, in English.
      case json
      /// JSON, for failures as well, with texts for people, in a panel.
      case panelJSON

      init(json: Bool) { self = json ? .json : .text }
    }

    var output = Output.text
    let run: @GLibActor @Sendable (Result<ServiceConnection, CommandFailure>) async throws -> ExitStatus
  }

  let name: String
  /// The verbs that may follow this one.
  let verbs: [Verb]
  let prepare: Preparation
  let summary: @Sendable () -> String
  let details: @Sendable () -> String

  /// - Parameters:
  ///   - summary: one line for the list of verbs.
  ///   - details: further text for the verb's help.
  ///   - options: in the order of the help.
  ///   - work: what their values ask for, or throws `CommandLineError`.
  init<each Value>(
    _ name: String, _ summary: @autoclosure @escaping @Sendable () -> String,
    details: @autoclosure @escaping @Sendable () -> String = "", verbs: [Verb] = [],
    _ options: repeat VerbOption<each Value>, work: @escaping @Sendable (repeat each Value) throws -> Work
  ) {
    self.name = name
    self.verbs = verbs
    self.summary = summary
    self.details = details
    prepare = { parser in
      let read = (repeat (each options).declare(parser))
      return { arguments in try work(repeat try (each read)(arguments)) }
    }
  }
}

extension Verb.Work {
  /// Work with an exit status.
  static func exiting(
    _ output: Output = .text, _ run: @escaping @GLibActor @Sendable (ServiceConnection) async throws -> ExitStatus
  ) -> Verb.Work {
    Verb.Work(output: output, run: { try await run(try $0.get()) })
  }

  /// Work that succeeds unless it throws.
  init(json: Bool = false, _ run: @escaping @GLibActor @Sendable (ServiceConnection) async throws -> Void) {
    output = Output(json: json)
    self.run = { service in
      try await run(try service.get())
      return .success
    }
  }

  /// Work that needs no service, and succeeds unless it throws.
  init(json: Bool = false, local run: @escaping @GLibActor @Sendable () async throws -> Void) {
    output = Output(json: json)
    self.run = { _ in
      try await run()
      return .success
    }
  }
}

// MARK: Options of several verbs

extension Verb {
  /// The option `--account`, which every verb for one account has.
  static var account: VerbOption<String?> {
    text("account", placeholder: tr("NAME"), tr("Use this stored account instead of the default one"))
  }

  /// The option `--thread`, which every verb that asks has.
  static var thread: VerbOption<String?> {
    text("thread", placeholder: tr("THREAD"), tr("Continue this thread; “new” begins one"))
  }

  /// The option `--raw`, which every verb that prints answers has.
  static var raw: VerbOption<Bool> {
    flag("raw", tr("Print answers as the model wrote them, in Markdown, on a terminal too"))
  }

  /// The options of a message, such as `--model`, which every verb that asks has, as `org.chappie.Client` takes them.
  static var message: VerbOption<VariantDictionary> {
    VerbOption { parser in
      let model = parser.string("model", short: "m", placeholder: tr("MODEL"), tr("Ask this model"))
      let fast = parser.flag("fast", tr("Answer sooner, think less"))
      let effort = parser.string(
        "effort", placeholder: tr("LEVEL"), tr("Reasoning effort: low, medium, high, or another level of the model"))
      // Empty ones are none.
      let instructions = parser.option(
        "instructions", short: "s", placeholder: tr("TEXT"), tr("Instructions for the model")
      ) { $0 }
      let search = parser.flag("search", tr("Let the model search the web, which carries words of the question out"))
      let cached = parser.flag("search-cached", tr("Let the model search the backend's copies of pages instead"))
      let tools = parser.option(
        "tools", placeholder: tr("SERVERS"), tr("Let the model use these tool servers, with commas between them")
      ) { $0 }
      let domains = parser.string(
        "search-domain", placeholder: tr("DOMAIN"), tr("Search the web, in this domain alone; may be repeated"))
      return { arguments in
        guard !(arguments[search] && arguments[cached]) else {
          throw CommandLineError(tr("--search and --search-cached exclude each other."))
        }
        let domains = arguments.all(domains)
        let searches: String? = arguments[cached] ? "cached" : arguments[search] || !domains.isEmpty ? "live" : nil
        let servers = arguments.all(tools).joined(separator: ",").serverNames
        return [
          "model": arguments[model], "fast_mode": arguments[fast] ? true : nil, "reasoning_effort": arguments[effort],
          "instructions": arguments[instructions], "web_search": searches, "tools": servers.isEmpty ? nil : servers,
          "search_domains": domains.isEmpty ? nil : domains,
        ]
      }
    }
  }

  /// The option `--json` of the verbs that print one object.
  static var json: VerbOption<Bool> { flag("json", tr("Print one JSON object")) }

  /// The option `--json` of the verbs that print a list.
  static var jsonLines: VerbOption<Bool> { flag("json", tr("Print one JSON object a line")) }

  /// The option `--archived` of the verbs that list threads.
  static var archived: VerbOption<Bool> { flag("archived", tr("The archived threads, not the active ones")) }

  /// The option `--limit` of the verbs that list threads.
  static var limit: VerbOption<Int?> {
    VerbOption { parser in
      let range = 1...Int(Int32.max)
      let limit = parser.integer("limit", in: range, placeholder: tr("COUNT"), tr("List at most so many threads"))
      return { $0[limit] }
    }
  }

  /// The option `--output` of the verbs that write a file.
  static func output(_ help: @autoclosure @escaping @Sendable () -> String) -> VerbOption<String?> {
    text("output", short: "o", placeholder: tr("FILE"), help())
  }

  /// The option `--yes` of the verbs that remove something for good.
  static var yes: VerbOption<Bool> { flag("yes", short: "y", tr("Do not ask first")) }

  /// The option `--yes`, as the answer whether to ask first.
  static var asks: VerbOption<Bool> { yes.map(asksFirst) }

  /// Whether to ask first.
  ///
  /// - Throws: `CommandLineError` if there is no terminal to ask at, and `yes` is not given.
  static func asksFirst(unless yes: Bool) throws -> Bool {
    guard yes || StandardInput.isTerminal else {
      throw CommandLineError(tr("There is no terminal to ask at: give --yes to go on without being asked."))
    }
    return !yes
  }

  /// The one argument that a verb takes.
  ///
  /// - Parameter missing: the question for it.
  static func word(
    _ placeholder: @autoclosure @escaping @Sendable () -> String,
    _ missing: @autoclosure @escaping @Sendable () -> String
  ) -> VerbOption<String> {
    words(placeholder()).map { try $0.one(missing()) }
  }
}

extension [String] {
  /// The one argument that a verb takes.
  ///
  /// - Parameter missing: the question for it.
  /// - Throws: `CommandLineError` for none or several.
  func one(_ missing: String) throws -> String {
    let words = try several(missing)
    guard words.count == 1 else { throw CommandLineError(tr("“\(words[1])” is one argument too many")) }
    return words[0]
  }

  /// The arguments, at least one.
  ///
  /// - Throws: `CommandLineError` for none.
  func several(_ missing: String) throws -> [String] {
    guard !isEmpty else { throw CommandLineError(missing) }
    return self
  }
}

extension String {
  /// The names of tool servers, which have commas between them.
  var serverNames: [String] { split { $0 == "," || $0 == " " }.map(String.init) }
}

/// A question to the person at the terminal, before something is removed for good.
enum Confirmation {
  /// - Throws: ``CommandFailure`` with the message `refused` if the answer is not yes.
  @GLibActor
  static func ask(_ question: String, refused: String) async throws(CommandFailure) {
    // Translators: y stands for the first letter of “yes”.
    StandardStream.error.write("\(question) \(tr("[y/N]")) ")
    let answer = await offActor { StandardInput.line(limit: 64) }?.trimmed
    guard isYes(answer ?? "") else { throw CommandFailure(.failed, refused) }
  }

  /// Whether an answer means yes, in English or the user's language.
  static func isYes(_ answer: String) -> Bool {
    let yes = tr("yes")
    return ["y", "yes", yes, String(yes.prefix(1))].contains(answer.lowercased())
  }
}
