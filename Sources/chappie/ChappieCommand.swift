// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import Glibc
import Platform

/// `chappie`: the entry point of the command, and its help.
@main
enum ChappieCommand {
  static let verbs: [any Verb.Type] = [
    SignIn.self, SignOut.self, Status.self, Ask.self, Chat.self, Context.self, Threads.self, Models.self, Usage.self,
    Templates.self, Accounts.self, Monitor.self, Approvals.self, Doctor.self, Erase.self,
  ]

  static func main() {
    StandardStream.openMissing()
    Translation.useForLibraries()
    let arguments = Array(CommandLine.arguments.dropFirst())
    switch arguments.first {
    case "--version":
      StandardStream.output.write("chappie \(ChappieVersion.current)\n")
      leave(0)
    case nil, "--help", "-h", "help":
      StandardStream.output.write(help)
      leave(arguments.isEmpty ? ExitStatus.usage.rawValue : 0)
    case let name?: run(verb(name, among: verbs, of: "chappie"), Array(arguments.dropFirst()))
    }
  }

  private static func verb(_ name: String, among verbs: [any Verb.Type], of command: String) -> any Verb.Type {
    guard let verb = verbs.first(where: { $0.name == name }) else {
      fail(
        tr("There is no verb “\(name)”: see \(command) --help.")
          + Spelling.suggestion(for: name, among: verbs.map { $0.name }))
    }
    return verb
  }

  private static var help: String {
    tr(
      """
      Usage:
        chappie VERB [OPTION…]

      Talks to ChatGPT on your own plan. The sign-in stays in your keyring, with the service org.chappie.

      Verbs:
      \(list(verbs.map { ($0.name, $0.summary) }))

      Exit statuses:
      \(list(ExitStatus.allCases.map { ("\($0.rawValue)", $0.meaning) }))

      chappie VERB --help explains each. See chappie(1).
      """) + "\n"
  }

  private static func list(_ entries: [(name: String, text: String)]) -> String {
    let width = entries.map { $0.name.count }.max() ?? 0
    return entries.map { entry in
      "  \(entry.name)\(String(repeating: " ", count: width - entry.name.count))  \(entry.text)"
    }.joined(separator: "\n")
  }

  private static func run(_ type: any Verb.Type, _ arguments: [String], behind command: String = "chappie") {
    let command = "\(command) \(type.name)"
    if !type.verbs.isEmpty, let name = arguments.first, !name.hasPrefix("-") {
      return run(verb(name, among: type.verbs, of: command), Array(arguments.dropFirst()), behind: command)
    }
    let parser = CommandLineParser(
      parameters: type.parameters, summary: type.summary, details: details(of: type, command))
    let make = type.prepare(parser)
    do {
      switch try parser.parse([command] + arguments) {
      case .help(let text):
        StandardStream.output.write(text)
        leave(0)
      case .arguments(let arguments):
        let verb = try make(arguments)
        leave(MainLoop.run { await perform(verb) })
      }
    } catch {
      fail("\(error)")
    }
  }

  private static func details(of type: any Verb.Type, _ command: String) -> String {
    guard !type.verbs.isEmpty else { return type.details }
    let entries = list(type.verbs.map { ($0.name, $0.summary) })
    return tr("Verbs:\n\(entries)\n\n\(command) VERB --help explains each.") + " " + type.details
  }

  @GLibActor
  private static func perform(_ verb: any Verb) async -> Int32 {
    do {
      return try await verb.run(on: await ServiceConnection.connect()).rawValue
    } catch {
      let failure = CommandFailure(error)
      CommandFailure.report(failure.message)
      if verb.json { StandardStream.output.write(failure.json.line + "\n") }
      return failure.status.rawValue
    }
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
