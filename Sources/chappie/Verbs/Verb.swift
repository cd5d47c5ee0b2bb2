import GLibBridge

/// One thing that the command does.
protocol Verb: Sendable {
  static var name: String { get }
  /// One line for the list of verbs.
  static var summary: String { get }
  /// What stands behind the options in the usage line.
  static var parameters: String? { get }
  /// What else the verb's help says.
  static var details: String { get }
  /// The verbs that may stand behind this one.
  static var verbs: [any Verb.Type] { get }
  /// Whether standard output gets JSON, also of a failure.
  var json: Bool { get }

  /// Declares the options; the result makes the verb of what was given for them.
  static func prepare(_ parser: CommandLineParser) -> (CommandLineArguments) throws -> any Verb

  @GLibActor func run(_ service: ServiceConnection) async throws -> ExitStatus
}

extension Verb {
  static var parameters: String? { nil }
  static var details: String { "" }
  static var verbs: [any Verb.Type] { [] }
  var json: Bool { false }
}

extension CommandLineParser {
  /// The option that every verb about one sign-in has.
  func account() -> CommandLineOption<String> {
    string("account", placeholder: "NAME", "Use this stored account instead of the default one")
  }

  /// The option of what is asked within a thread.
  func thread() -> CommandLineOption<String> {
    string("thread", placeholder: "THREAD", "Go on with this thread; “new” begins one")
  }
}
