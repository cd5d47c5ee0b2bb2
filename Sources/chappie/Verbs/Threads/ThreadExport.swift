// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Glibc
import Platform

extension Verb {
  /// `chappie threads export`: writes threads to files.
  static let threadExport = Verb(
    "export", tr("Write a thread, or all, as JSON or Markdown"),
    details: tr(
      """
      JSON is complete, Markdown is for reading. Only the user can read the files. With --all, FILE names a directory, \
      and each thread, archived or not, gets a file in it. \(ThreadsProxy.naming)
      """),
    account,
    options("format", placeholder: tr("FORMAT"), tr("json (the default) or markdown")) { name in
      guard let format = ThreadFormat(rawValue: name) else { throw CommandLineError(tr("“\(name)” is no format")) }
      return format
    },
    output(tr("Write to this file, not to standard output")), flag("all", tr("All threads, into a directory")),
    flag("force", tr("Replace existing files")), words(ThreadsProxy.placeholder)
  ) { account, formats, output, all, force, words in
    let write: @GLibActor @Sendable (ThreadExporter) async throws -> ExitStatus
    if all {
      try words.refuseThread()
      guard let output else { throw CommandLineError(tr("--all needs a directory: give --output DIRECTORY.")) }
      write = { try await $0.writeAll(to: output) }
    } else {
      let name = try words.thread()
      // This name always means standard output, even if it links to a file.
      write = { try await $0.write(name, to: output == "/dev/stdout" ? nil : output) }
    }
    return Work.exiting { service in
      let threads = try await ThreadsProxy.stored(service, account: account)
      return try await write(ThreadExporter(threads: threads, format: formats.last ?? .json, replaces: force))
    }
  }
}

/// The format of an exported thread.
private enum ThreadFormat: String {
  case json
  case markdown

  var suffix: String { self == .json ? ".json" : ".md" }
}

/// Writes threads to files.
@GLibActor
private struct ThreadExporter {
  let threads: ThreadsProxy
  let format: ThreadFormat
  /// Whether existing files are replaced.
  let replaces: Bool

  /// Writes the thread that a person has named.
  ///
  /// - Parameter path: nil for standard output.
  func write(_ name: String, to path: String?) async throws -> ExitStatus {
    let id = try await threads.id(name)
    let text = try await Spinner.show(tr("Reading the thread…")) {
      if let path { try file(path).check() }
      return try await self.text(id)
    }
    if let path { try file(path).write(text) } else { StandardStream.output.write(data: text) }
    return .success
  }

  /// The thread in the format.
  private func text(_ id: String) async throws -> String {
    switch format {
    case .json: try await threads.json(id).terminalSafeJSON + "\n"
    case .markdown: ThreadMarkdown().text(try await threads.thread(id))
    }
  }

  private func file(_ path: String) -> OutputFile { OutputFile(path: path, replaces: replaces) }

  // MARK: All threads

  /// Writes each thread to a file of its own, and shows the progress. Ctrl-C stops between two files.
  ///
  /// - Returns: ``ExitStatus/failed`` if a thread could not be read.
  /// - Throws: ``CommandFailure``.
  func writeAll(to directory: String) async throws -> ExitStatus {
    let work = Task.onGLib { try await writeEach(to: directory) }
    let interrupt = Task.onGLib {
      _ = await UnixSignals.first(of: [SIGINT, SIGTERM])
      work.cancel()
    }
    defer { interrupt.cancel() }
    return try await work.value
  }

  private func writeEach(to directory: String) async throws -> ExitStatus {
    guard [.nothing, .directory].contains(FileKind(directory)) else {
      throw CommandFailure(.failed, tr("\(directory) is no directory: --all needs a new or an existing one."))
    }
    let all = try await threads.all(archived: false) + threads.all(archived: true)
    let files = all.map { file("\(directory)/\($0.id)\(format.suffix)") }
    do {
      try Files.makeDirectory(directory)
    } catch {
      throw CommandFailure(.failed, tr("The directory \(directory) cannot be created: \(error)."))
    }
    for file in files { try file.check() }
    let spinner = Spinner("")
    defer { spinner.stop() }
    var written = 0
    var status = ExitStatus.success
    for (thread, file) in zip(all, files) {
      spinner.text = tr(
        "Writing \(written + 1) of \(all.count): \(ThreadSummary.shown(thread.title).shortened(to: 40))")
      do {
        try Task.checkCancellation()
        try file.write(try await text(thread.id))
        written += 1
      } catch is CancellationError {
        throw CommandFailure(.interrupted, tr("Cancelled: \(written) of \(all.count) threads are in \(directory)."))
      } catch {
        try thread.report(error)
        status = .failed
      }
    }
    spinner.stop()
    StandardStream.output.line(
      tr(
        written, one: "Wrote \(written) thread to \(directory).", other: "Wrote \(written) threads to \(directory)."))
    return status
  }
}
