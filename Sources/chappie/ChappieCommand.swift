// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import Glibc
import Platform

/// `chappie`: the entry point of the command.
@main
enum ChappieCommand {
  static func main() {
    StandardStream.openMissing()
    Translation.useForLibraries()
    let arguments = Array(CommandLine.arguments.dropFirst())
    switch arguments.first {
    case nil:
      Help.show(Help.overview)
      leave(ExitStatus.usage.rawValue)
    case "--version":
      StandardStream.output.line("chappie \(ChappieVersion.current)")
      leave(0)
    case "help" where arguments.count > 1:
      guard let verb = verb(arguments[1]) else { fail(unknown(arguments[1], of: "chappie") + suggestion(arguments[1])) }
      run(verb, Array(arguments.dropFirst(2)) + ["--help"])
    case "--help", "-h", "help":
      Help.show(Help.whole)
      leave(0)
    default: run(arguments)
    }
  }

  /// Runs the verb that the first argument names. Another word begins a question, unless a verb is meant.
  private static func run(_ arguments: [String]) -> Never {
    let word = arguments[0]
    if let verb = verb(word) { run(verb, Array(arguments.dropFirst())) }
    let others = arguments.dropFirst().filter { !$0.hasPrefix("-") }
    let isCommand = others.count < 2 && !others.contains { $0.contains(" ") }
    let suggestion = suggestion(word, isCommand: isCommand)
    guard suggestion.isEmpty else { fail(unknown(word, of: "chappie") + suggestion) }
    run(.question, arguments)
  }

  /// The verb that a command of other programs means. Who types `logout` must not believe to be signed out.
  private static func meant(by word: String) -> String? {
    switch word.lowercased() {
    case "login", "auth": "sign-in"
    case "logout": "sign-out"
    case "config": "doctor"
    case let word where Verb.threads.verbs.contains { $0.name == word }: "threads \(word)"
    default: nil
    }
  }

  private static func verb(_ name: String) -> Verb? { Verb.all.first { $0.name == name } }

  /// The question whether a word means a verb. The beginnings must agree: “What” and “hat” are no “chat”.
  ///
  /// - Parameter isCommand: whether too little follows the word for a question.
  private static func suggestion(_ word: String, isCommand: Bool = true) -> String {
    if isCommand, let meant = meant(by: word) { return Spelling.question(meant) }
    let names = (Verb.all.map(\.name) + ["help", "--help", "--version"]).filter {
      $0.prefix(1) == word.prefix(1) || $0.prefix(2) == String(word.prefix(2).reversed())
    }
    return Spelling.suggestion(for: word, among: names)
  }

  private static func run(_ verb: Verb, _ arguments: [String], behind command: String = "chappie") -> Never {
    let command = "\(command) \(verb.name)"
    if !verb.verbs.isEmpty, let word = arguments.first, !word.hasPrefix("-") {
      guard let next = verb.verbs.first(where: { $0.name == word }) else {
        fail(unknown(word, of: command) + Spelling.suggestion(for: word, among: verb.verbs.map(\.name)))
      }
      run(next, Array(arguments.dropFirst()), behind: command)
    }
    let parser = CommandLineParser(summary: verb.summary(), details: Help.details(of: verb, command))
    let read = verb.prepare(parser)
    do {
      switch try parser.parse([command] + arguments) {
      case .help(let text):
        Help.show(text)
        leave(0)
      case .arguments(let arguments):
        let work = try read(arguments)
        if work.output == .json { Translation.useEnglish() }
        leave(MainLoop.run { await perform(work) })
      }
    } catch {
      fail("\(error)")
    }
  }

  @GLibActor
  private static func perform(_ work: Verb.Work) async -> Int32 {
    do {
      return try await work.run(await ServiceConnection.connect()).rawValue
    } catch {
      let failure = CommandFailure(error)
      CommandFailure.report(failure.message)
      if work.output != .text { StandardStream.output.line(failure.json.line) }
      return failure.status.rawValue
    }
  }

  private static func unknown(_ word: String, of command: String) -> String {
    tr("There is no command “\(word)”: see \(command) --help.")
  }

  private static func fail(_ message: String) -> Never {
    CommandFailure.report(message)
    exit(ExitStatus.usage.rawValue)
  }

  /// Ends the command. If standard output could not be written, the command fails.
  private static func leave(_ status: Int32) -> Never {
    guard let reason = StandardStream.output.failure else { exit(status) }
    CommandFailure.report(tr("Standard output cannot be written: \(reason)."))
    exit(status == 0 ? ExitStatus.failed.rawValue : status)
  }
}

extension Verb {
  /// In the order of the help.
  static let all: [Verb] = [
    signIn, signOut, status, ask, chat, context, threads, models, usage, act, templates, suggestCommand, explainLast,
    shellIntegration, tools, accounts, monitor, approvals, doctor, erase,
  ]
}
