// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

/// A command of `chappie`, such as `ask`, with its options.
struct Verb: Sendable {
  /// Declares the options, and returns a function that reads the parsed arguments.
  typealias Preparation = @Sendable (CommandLineParser) -> (CommandLineArguments) throws -> Work

  /// What a parsed command line asks for. It throws ``CommandFailure``, `GLibError` and `CancellationError`.
  struct Work: Sendable {
    /// Whether standard output gets JSON, for failures as well.
    var json = false
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
  init(
    _ name: String, _ summary: @autoclosure @escaping @Sendable () -> String,
    details: @autoclosure @escaping @Sendable () -> String = "", verbs: [Verb] = [],
    _ prepare: @escaping Preparation
  ) {
    self.name = name
    self.verbs = verbs
    self.prepare = prepare
    self.summary = summary
    self.details = details
  }
}

extension Verb.Work {
  /// Work with an exit status.
  static func exiting(
    json: Bool = false, _ run: @escaping @GLibActor @Sendable (ServiceConnection) async throws -> ExitStatus
  ) -> Verb.Work {
    Verb.Work(json: json, run: { try await run(try $0.get()) })
  }

  /// Work that succeeds unless it throws.
  init(json: Bool = false, _ run: @escaping @GLibActor @Sendable (ServiceConnection) async throws -> Void) {
    self.json = json
    self.run = { service in
      try await run(try service.get())
      return .success
    }
  }

  /// Work that needs no service, and succeeds unless it throws.
  init(json: Bool = false, local run: @escaping @GLibActor @Sendable () async throws -> Void) {
    self.json = json
    self.run = { _ in
      try await run()
      return .success
    }
  }
}

// MARK: Options of several verbs

extension CommandLineParser {
  /// The option `--account`, which every verb for one account has.
  func account() -> CommandLineOption<String> {
    string("account", placeholder: tr("NAME"), tr("Use this stored account instead of the default one"))
  }

  /// The option `--app` of the verbs that act on an application with a sign-in of its own.
  func app(_ help: @autoclosure @escaping () -> String) -> CommandLineOption<String> {
    string("app", placeholder: tr("ID"), help())
  }

  /// The option `--thread`, which every verb that asks has.
  func thread() -> CommandLineOption<String> {
    string("thread", placeholder: tr("THREAD"), tr("Continue this thread; “new” begins one"))
  }

  /// The option `--raw`, which every verb that prints answers has.
  func raw() -> CommandLineFlag {
    flag("raw", tr("Print answers as the model wrote them, in Markdown, on a terminal too"))
  }

  /// The options of a message, such as `--model`, which every verb that asks has.
  ///
  /// - Returns: reads them as `org.chappie.Client` takes them, or throws ``CommandLineError``.
  func message() -> @Sendable (CommandLineArguments) throws -> VariantDictionary {
    let model = string("model", short: "m", placeholder: tr("MODEL"), tr("Ask this model"))
    let fast = flag("fast", tr("Answer sooner, think less"))
    let effort = string(
      "effort", placeholder: tr("LEVEL"), tr("Reasoning effort: low, medium, high, or another level of the model"))
    let instructions = string(
      "instructions", short: "s", placeholder: tr("TEXT"), tr("Instructions for the model"))
    let search = flag("search", tr("Let the model search the web, which carries words of the question out"))
    let cached = flag("search-cached", tr("Let the model search the backend's copies of pages instead"))
    let tools = string(
      "tools", placeholder: tr("SERVERS"), tr("Let the model use these tool servers, with commas between them"))
    let domains = string(
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

  /// The option `--json` of the verbs that print one object.
  func json() -> CommandLineFlag { flag("json", tr("Print one JSON object")) }

  /// The option `--json` of the verbs that print a list.
  func jsonLines() -> CommandLineFlag { flag("json", tr("Print one JSON object a line")) }

  /// The option `--archived` of the verbs that list threads.
  func archived() -> CommandLineFlag { flag("archived", tr("The archived threads, not the active ones")) }

  /// The option `--limit` of the verbs that list threads.
  func limit() -> CommandLineOption<Int> {
    integer("limit", in: 1...Int(Int32.max), placeholder: tr("COUNT"), tr("List at most so many threads"))
  }

  /// The option `--yes` of the verbs that remove something for good.
  func yes() -> CommandLineFlag { flag("yes", short: "y", tr("Do not ask first")) }
}

extension String {
  /// The names of tool servers, which have commas between them.
  var serverNames: [String] { split { $0 == "," || $0 == " " }.map(String.init) }
}

extension CommandLineArguments {
  /// Whether to ask first.
  ///
  /// - Throws: `CommandLineError` if there is no terminal to ask at, and `yes` is not given.
  func asks(unless yes: CommandLineFlag) throws -> Bool {
    guard self[yes] || StandardInput.isTerminal else {
      throw CommandLineError(tr("There is no terminal to ask at: give --yes to go on without being asked."))
    }
    return !self[yes]
  }

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
    guard !remaining.isEmpty else { throw CommandLineError(missing) }
    return remaining
  }
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
