import GLibBridge
import Platform

/// `chappie threads export`.
struct ThreadExport: Verb {
  static let name = "export"
  static let summary = "Write a thread, or all, as JSON or Markdown"
  static let details = """
    JSON has everything, Markdown is to be read. The files are the user's alone. With --all, FILE names a directory, \
    which gets a file for each thread, the archived ones too. \(KeptThreads.naming)
    """

  private enum What {
    case one(String, file: String?)
    case all(directory: String)
  }

  let account: String?
  private let what: What
  let format: ThreadFormat
  let replaces: Bool

  static func prepare(_ parser: CommandLineParser) -> (CommandLineArguments) throws -> any Verb {
    let account = parser.account()
    let format = parser.option("format", placeholder: "FORMAT", "json, which is the default, or markdown") { name in
      guard let format = ThreadFormat(rawValue: name) else { throw CommandLineError("“\(name)” is no format") }
      return format
    }
    let output = parser.string("output", short: "o", placeholder: "FILE", "Write to this file, not to standard output")
    let all = parser.flag("all", "All threads, into a directory")
    let force = parser.flag("force", "Replace files that are there already")
    parser.acceptRemaining(placeholder: KeptThreads.placeholder)
    return { arguments in
      ThreadExport(
        account: arguments[account], what: try what(arguments, all: arguments[all], output: arguments[output]),
        format: arguments[format] ?? .json, replaces: arguments[force])
    }
  }

  private static func what(_ arguments: CommandLineArguments, all: Bool, output: String?) throws -> What {
    guard output != "" else { throw CommandLineError("--output needs the name of a file.") }
    // This is no file to be replaced, whatever it leads to.
    guard all else { return .one(try arguments.thread(), file: output == "/dev/stdout" ? nil : output) }
    guard arguments.remaining.isEmpty else { throw CommandLineError("--all and a thread exclude each other.") }
    guard let output else { throw CommandLineError("--all needs a directory: give --output DIRECTORY.") }
    return .all(directory: output)
  }

  func run(_ service: ServiceConnection) async throws -> ExitStatus {
    let threads = try await KeptThreads.stored(service, account: account)
    let files = ThreadFiles(threads: threads, format: format, replaces: replaces)
    switch what {
    case .one(let name, nil):
      let id = try await threads.id(name)
      StandardStream.output.write(data: try await Spinner.show("Reading the thread…") { try await files.text(id) })
      return .success
    case .one(let name, let file?):
      let id = try await threads.id(name)
      try await Spinner.show("Reading the thread…") { try await files.write(id, to: files.file(file)) }
      return .success
    case .all(let directory):
      return try await files.writeAll(to: directory)
    }
  }
}
