// SPDX-License-Identifier: Apache-2.0
import CGLib
import Glibc
import Platform
import SecretMemory

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
        await offActor(deadline: deadline + grace) { process.errors?.start(limit: errorOutputLimit) ?? [] }
      }
      let output = await offActor(deadline: deadline + grace) { process.output?.bytes(limit: outputLimit + 1) ?? [] }
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
    let process = try FilterProcess([program] + arguments)
    let end = ContinuousClock.now + deadline
    defer { process.kill() }
    process.write(input)
    let read = await offActor(deadline: deadline) {
      // Output above the limit is not read any further.
      process.output?.secret(limit: outputLimit).map { ($0, process.errors?.secret(limit: errorOutputLimit)) }
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

/// A child process with pipes for its output. Its input is a pipe or a file.
@GLibActor
private final class FilterProcess {
  /// Immutable, and its pipes are each in use on one thread.
  private nonisolated(unsafe) let process: OpaquePointer

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - command: the program, from the search path or with its own path, and its arguments.
  ///   - input: the file that is its standard input, from its start; nil for a pipe.
  /// - Throws: ``GLibError`` when the program cannot be started.
  init(_ command: [String], input: Descriptor? = nil) throws {
    let output = G_SUBPROCESS_FLAGS_STDOUT_PIPE.rawValue | G_SUBPROCESS_FLAGS_STDERR_PIPE.rawValue
    let pipes = input == nil ? output | G_SUBPROCESS_FLAGS_STDIN_PIPE.rawValue : output
    let launcher = g_subprocess_launcher_new(GSubprocessFlags(rawValue: pipes))
    defer { g_object_unref(UnsafeMutableRawPointer(launcher)) }
    if let input {
      // The program before has moved the position.
      lseek(input.number, 0, SEEK_SET)
      g_subprocess_launcher_take_stdin_fd(launcher, try duplicate(input.number))
    }
    process = try withCStrings(command) { argv in
      try checked { g_subprocess_launcher_spawnv(launcher, argv, &$0) }
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

  nonisolated var output: UnsafeMutablePointer<GInputStream>? { g_subprocess_get_stdout_pipe(process) }
  nonisolated var errors: UnsafeMutablePointer<GInputStream>? { g_subprocess_get_stderr_pipe(process) }

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
  ///
  /// - Returns: whether it still ran.
  @discardableResult
  func kill() -> Bool {
    guard let identifier = g_subprocess_get_identifier(process) else { return false }
    // Where the program leads a process group, its children end too.
    if let number = pid_t(String(cString: identifier)) { Glibc.kill(-number, SIGKILL) }
    g_subprocess_force_exit(process)
    return true
  }
}

extension UnsafeMutablePointer<GInputStream> {
  /// All that comes, in guarded memory; nil when it is longer than `limit` bytes. Blocks until the program closes it.
  fileprivate func secret(limit: Int) -> SecretBytes? {
    var count: gsize = 0
    let buffer = SecretBytes(count: limit + 1) { span in
      span.withUnsafeMutableBytes {
        _ = g_input_stream_read_all(self, $0.baseAddress, gsize($0.count), &count, nil, nil)
      }
    }
    return count > limit ? nil : buffer.withSpan { SecretBytes(copying: $0, 0..<Int(count)) }
  }

  /// The first `limit` bytes. Blocks until there are so many or the program closes it.
  fileprivate func bytes(limit: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: limit) { buffer, length in
      var count: gsize = 0
      _ = g_input_stream_read_all(self, buffer.baseAddress, gsize(limit), &count, nil, nil)
      length = Int(count)
    }
  }

  /// The first `limit` bytes, after all was read. A program that nobody reads would wait.
  fileprivate func start(limit: Int) -> [UInt8] {
    let start = bytes(limit: limit)
    while !bytes(limit: Int(PIPE_BUF)).isEmpty {}
    return start
  }
}
