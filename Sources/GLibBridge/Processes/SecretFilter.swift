// SPDX-License-Identifier: Apache-2.0
import CGLib
import Glibc
import SecretMemory

/// Runs a filter program that turns one secret into another: the program reads its standard input to the end and writes
/// its standard output.
///
/// Neither secret is in a file, an argument or the environment. The output is stored in guarded memory only.
@GLibActor
public enum SecretFilter {
  public struct Outcome: Sendable {
    public let succeeded: Bool
    public let output: SecretBytes
    /// The last line of the program's standard error.
    public let errorMessage: String
  }

  /// The longest input in bytes: a pipe accepts this much in one write.
  public nonisolated static let inputLimit = Int(PIPE_BUF)
  private nonisolated static let errorOutputLimit = 16 << 10

  /// Runs a program from the search path.
  ///
  /// - Parameters:
  ///   - input: at most ``inputLimit`` bytes.
  ///   - outputLimit: the longest output in bytes; longer output is an error.
  ///   - deadline: the longest run time; after it the program is killed.
  /// - Throws: ``GLibError`` when the program cannot be started or its output is too long; ``GLibError/timedOut``.
  public static func run(
    _ program: String, _ arguments: [String], input: SecretBytes, outputLimit: Int, deadline: Duration
  ) async throws -> Outcome {
    precondition(input.count <= inputLimit, "the input is longer than PIPE_BUF")
    let process = try FilterProcess(program, arguments)
    let end = ContinuousClock.now + deadline
    defer { process.kill() }
    process.write(input)
    let read = await offActor(deadline: deadline) {
      // Output above the limit is not read any further.
      process.output(limit: outputLimit).map { ($0, process.errors(limit: errorOutputLimit)) }
    }
    guard let read else { throw GLibError.timedOut }
    guard let (content, errorOutput) = read else {
      throw GLibError(domain: "chappie-filter", code: 0, message: "\(program) wrote more output than expected")
    }
    let succeeded = try await process.end(within: end - ContinuousClock.now)
    return Outcome(succeeded: succeeded, output: content, errorMessage: lastLine(errorOutput))
  }

  private nonisolated static func lastLine(_ text: SecretBytes?) -> String {
    let lines = text?.withBytes { String(decoding: $0, as: UTF8.self) }.split(whereSeparator: \.isNewline)
    return lines?.last.map(String.init) ?? "no reason given"
  }
}

/// A child process with three pipes.
@GLibActor
private final class FilterProcess {
  /// Immutable, and its pipes are each in use on one thread.
  private nonisolated(unsafe) let process: OpaquePointer

  init(_ program: String, _ arguments: [String]) throws {
    let flags = GSubprocessFlags(
      rawValue: G_SUBPROCESS_FLAGS_STDIN_PIPE.rawValue | G_SUBPROCESS_FLAGS_STDOUT_PIPE.rawValue
        | G_SUBPROCESS_FLAGS_STDERR_PIPE.rawValue)
    process = try withCStrings([program] + arguments) { argv in
      try checked { g_subprocess_newv(argv, flags, &$0) }
    }
  }

  isolated deinit {
    g_object_unref(UnsafeMutableRawPointer(process))
  }

  /// Writes the whole input and closes the pipe. A failure is ignored: a program that has ended reports its reason on
  /// standard error.
  func write(_ input: SecretBytes) {
    guard let pipe = g_subprocess_get_stdin_pipe(process) else { return }
    _ = input.withBytes { g_output_stream_write_all(pipe, $0.baseAddress, gsize($0.count), nil, nil, nil) }
    g_output_stream_close(pipe, nil, nil)
  }

  /// The whole standard output; nil when it is longer than `limit` bytes. Blocks until the program closes it.
  nonisolated func output(limit: Int) -> SecretBytes? {
    Self.readAll(g_subprocess_get_stdout_pipe(process), limit: limit)
  }

  /// The whole standard error, as ``output(limit:)``.
  nonisolated func errors(limit: Int) -> SecretBytes? {
    Self.readAll(g_subprocess_get_stderr_pipe(process), limit: limit)
  }

  private nonisolated static func readAll(_ pipe: UnsafeMutablePointer<GInputStream>?, limit: Int) -> SecretBytes? {
    var count: gsize = 0
    let buffer = SecretBytes(count: limit + 1) { span in
      span.withUnsafeMutableBytes {
        _ = g_input_stream_read_all(pipe, $0.baseAddress, gsize($0.count), &count, nil, nil)
      }
    }
    return count > limit ? nil : buffer.withSpan { SecretBytes(copying: $0, 0..<Int(count)) }
  }

  /// Waits for the end of the program.
  ///
  /// - Returns: whether its exit status is 0.
  func end(within deadline: Duration) async throws -> Bool {
    let process = process
    try await asyncCall(deadline: deadline) { cancellable, callback, data in
      g_subprocess_wait_async(process, cancellable, callback, data)
    } finish: { result, error in
      g_subprocess_wait_finish(process, result, &error)
    }
    return g_subprocess_get_successful(process) != 0
  }

  /// Kills the program if it still runs.
  func kill() {
    if g_subprocess_get_identifier(process) != nil { g_subprocess_force_exit(process) }
  }
}
