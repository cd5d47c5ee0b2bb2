// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

/// `chappie threads export`: writes threads to files.
struct ThreadExport: Verb {
  static let name = "export"
  static let summary = tr("Write a thread, or all, as JSON or Markdown")
  static let details = tr(
    """
    JSON is complete, Markdown is for reading. Only the user can read the files. With --all, FILE names a directory, \
    and each thread, archived or not, gets a file in it. \(ThreadsProxy.naming)
    """)

  private enum Selection {
    case one(String, file: String?)
    case all(directory: String)
  }

  let account: String?
  private let selection: Selection
  let format: ThreadFormat
  let replaces: Bool

  static func prepare(_ parser: CommandLineParser) -> (CommandLineArguments) throws -> any Verb {
    let account = parser.account()
    let format = parser.option("format", placeholder: tr("FORMAT"), tr("json (the default) or markdown")) { name in
      guard let format = ThreadFormat(rawValue: name) else { throw CommandLineError(tr("“\(name)” is no format")) }
      return format
    }
    let output = parser.string(
      "output", short: "o", placeholder: tr("FILE"), tr("Write to this file, not to standard output"))
    let all = parser.flag("all", tr("All threads, into a directory"))
    let force = parser.flag("force", tr("Replace existing files"))
    parser.acceptRemaining(placeholder: ThreadsProxy.placeholder)
    return { arguments in
      ThreadExport(
        account: arguments[account],
        selection: try selection(arguments, all: arguments[all], output: arguments[output]),
        format: arguments[format] ?? .json, replaces: arguments[force])
    }
  }

  private static func selection(_ arguments: CommandLineArguments, all: Bool, output: String?) throws -> Selection {
    guard output != "" else { throw CommandLineError(tr("--output needs the name of a file.")) }
    // This name always means standard output, even if it links to a file.
    guard all else { return .one(try arguments.thread(), file: output == "/dev/stdout" ? nil : output) }
    guard arguments.remaining.isEmpty else { throw CommandLineError(tr("--all and a thread exclude each other.")) }
    guard let output else { throw CommandLineError(tr("--all needs a directory: give --output DIRECTORY.")) }
    return .all(directory: output)
  }

  func run(_ service: ServiceConnection) async throws -> ExitStatus {
    let threads = try await ThreadsProxy.stored(service, account: account)
    let files = ThreadExporter(threads: threads, format: format, replaces: replaces)
    switch selection {
    case .one(let name, nil):
      let id = try await threads.id(name)
      StandardStream.output.write(data: try await Spinner.show(tr("Reading the thread…")) { try await files.text(id) })
      return .success
    case .one(let name, let file?):
      let id = try await threads.id(name)
      try await Spinner.show(tr("Reading the thread…")) { try await files.write(id, to: files.file(file)) }
      return .success
    case .all(let directory):
      return try await files.writeAll(to: directory)
    }
  }
}
