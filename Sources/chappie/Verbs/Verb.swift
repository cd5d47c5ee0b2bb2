// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

/// A verb of the command line, such as `ask`, with its options.
protocol Verb: Sendable {
  static var name: String { get }
  /// One line in the list of verbs.
  static var summary: String { get }
  /// The parameters after the options in the usage line; nil for the parser's own.
  static var parameters: String? { get }
  /// Further text in the verb's help.
  static var details: String { get }
  /// The verbs that may follow this one.
  static var verbs: [any Verb.Type] { get }
  /// Whether standard output gets JSON, for failures as well.
  var json: Bool { get }

  /// Declares the options.
  ///
  /// - Returns: a function that makes the verb from the parsed arguments.
  static func prepare(_ parser: CommandLineParser) -> (CommandLineArguments) throws -> any Verb

  /// Runs the verb.
  ///
  /// - Throws: ``CommandFailure``, `GLibError`, `CancellationError`.
  @GLibActor func run(_ service: ServiceConnection) async throws -> ExitStatus

  /// Runs the verb, also where there is no session bus. Most verbs can do nothing there.
  ///
  /// - Throws: as ``run(_:)``, and the failure of `service`.
  @GLibActor func run(on service: Result<ServiceConnection, CommandFailure>) async throws -> ExitStatus
}

extension Verb {
  static var parameters: String? { nil }
  static var details: String { "" }
  static var verbs: [any Verb.Type] { [] }
  var json: Bool { false }

  @GLibActor
  func run(on service: Result<ServiceConnection, CommandFailure>) async throws -> ExitStatus {
    try await run(try service.get())
  }
}

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
}
