// SPDX-License-Identifier: Apache-2.0
import Platform

/// Runs a program that reads a file, its standard input, and writes its standard output.
@GLibActor
package enum FileFilter {
  package struct Outcome: Sendable {
    package let end: End
    /// The first bytes of the standard output.
    package let output: [UInt8]
    /// The first bytes of the standard error.
    package let errors: [UInt8]
  }

  package enum End: Sendable {
    /// The exit status is 0, and the output is complete.
    case succeeded
    case failed
    /// The program was killed, because its output had more bytes than the limit.
    case outputTooLong
    /// The program was killed at the deadline.
    case outOfTime
  }

  private nonisolated static let errorOutputLimit = 4 << 10
  /// The longest time in which the pipes of a program that was killed are closed.
  private nonisolated static let grace = Duration.seconds(20)

  /// Runs a program. Cancelling the task kills it.
  ///
  /// - Parameters:
  ///   - command: the program and its arguments.
  ///   - outputLimit: the longest output in bytes.
  ///   - deadline: the longest run time.
  ///   - stop: a command that ends what the program has started elsewhere. It runs when the program is killed.
  /// - Throws: ``GLibError`` when the program cannot be started; `CancellationError`.
  package static func run(
    _ command: [String], input: Descriptor, outputLimit: Int, deadline: Duration, stop: [String]? = nil
  ) async throws -> Outcome {
    try Task.checkCancellation()
    let process = try FilterProcess(command, input: input)
    var isOutOfTime = false
    let kill: @GLibActor @Sendable () -> Void = {
      if process.kill(), let stop { _ = try? FilterProcess(stop) }
    }
    let timer = Timer(after: deadline) {
      isOutOfTime = true
      kill()
    }
    defer {
      timer.cancel()
      kill()
    }
    return try await withTaskCancellationHandler {
      // Both at once: a program whose errors nobody reads would wait, and so would its output.
      let errors = Task.onGLib {
        await offActor(deadline: deadline + grace) { process.errors(limit: errorOutputLimit) }
      }
      let output = await offActor(deadline: deadline + grace) { process.output(limit: outputLimit + 1) }
      guard let output else { throw GLibError.timedOut }
      let isTooLong = output.count > outputLimit
      if isTooLong { kill() }
      let errorOutput = await errors.value ?? []
      let succeeded = try await process.end(within: grace)
      try Task.checkCancellation()
      let end: End = isOutOfTime ? .outOfTime : isTooLong ? .outputTooLong : succeeded ? .succeeded : .failed
      return Outcome(end: end, output: isTooLong ? Array(output.dropLast()) : output, errors: errorOutput)
    } onCancel: {
      Task.onGLib { kill() }
    }
  }
}
