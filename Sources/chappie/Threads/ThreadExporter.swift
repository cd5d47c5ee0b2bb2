// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Glibc
import Platform

/// The format of an exported thread.
enum ThreadFormat: String {
  case json
  case markdown

  var suffix: String { self == .json ? ".json" : ".md" }
}

/// Writes threads to files.
@GLibActor
struct ThreadExporter {
  let threads: ThreadsProxy
  let format: ThreadFormat
  /// Whether existing files are replaced.
  let replaces: Bool

  /// The thread in the format.
  func text(_ id: String) async throws -> String {
    switch format {
    case .json: try await threads.json(id).terminalSafeJSON + "\n"
    case .markdown: ThreadMarkdown().text(try await threads.thread(id))
    }
  }

  func file(_ path: String) -> OutputFile { OutputFile(path: path, replaces: replaces) }

  func write(_ id: String, to file: OutputFile) async throws {
    try file.check()
    try file.write(try await text(id))
  }

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
    try check(directory)
    let all = try await threads.all(archived: false) + threads.all(archived: true)
    let files = all.map { file("\(directory)/\($0.id)\(format.suffix)") }
    try make(directory)
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
        try await write(thread.id, to: file)
        written += 1
      } catch is CancellationError {
        throw CommandFailure(.interrupted, tr("Cancelled: \(written) of \(all.count) threads are in \(directory)."))
      } catch {
        status = try report(CommandFailure(error), thread)
      }
    }
    spinner.stop()
    StandardStream.output.write(
      tr(
        written, one: "Wrote \(written) thread to \(directory).", other: "Wrote \(written) threads to \(directory).")
        + "\n")
    return status
  }

  private func check(_ directory: String) throws {
    switch FileKind(directory) {
    case .nothing, .directory: break
    default: throw CommandFailure(.failed, tr("\(directory) is no directory: --all needs a new or an existing one."))
    }
  }

  private func make(_ directory: String) throws {
    do {
      try Files.makeDirectory(directory)
    } catch {
      throw CommandFailure(.failed, tr("The directory \(directory) cannot be created: \(error)."))
    }
  }

  /// Reports a thread that could not be read; the export continues with the others.
  private func report(_ failure: CommandFailure, _ thread: ThreadSummary) throws -> ExitStatus {
    guard failure.status == .failed else { throw failure }
    CommandFailure.report("\(ThreadSummary.quoted(thread.title)): \(failure.message)")
    return .failed
  }
}
