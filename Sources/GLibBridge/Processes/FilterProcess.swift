// SPDX-License-Identifier: Apache-2.0
import CGLib
import Glibc
import Platform
import SecretMemory

/// A child process with pipes for its output. Its input is a pipe or a file.
@GLibActor
final class FilterProcess {
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
      let copy = fcntl(input.number, F_DUPFD_CLOEXEC, 3)
      guard copy >= 0 else { throw GLibError(errno: errno) }
      g_subprocess_launcher_take_stdin_fd(launcher, copy)
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

  /// The whole standard output; nil when it is longer than `limit` bytes. Blocks until the program closes it.
  nonisolated func secretOutput(limit: Int) -> SecretBytes? {
    Self.readSecret(g_subprocess_get_stdout_pipe(process), limit: limit)
  }

  /// The whole standard error, as ``secretOutput(limit:)``.
  nonisolated func secretErrors(limit: Int) -> SecretBytes? {
    Self.readSecret(g_subprocess_get_stderr_pipe(process), limit: limit)
  }

  /// The first `limit` bytes of the standard output. Blocks until there are so many or the program closes it.
  nonisolated func output(limit: Int) -> [UInt8] {
    Self.read(g_subprocess_get_stdout_pipe(process), limit: limit)
  }

  /// The first `limit` bytes of the standard error, after all of it was read. A program that nobody reads would wait.
  nonisolated func errors(limit: Int) -> [UInt8] {
    let pipe = g_subprocess_get_stderr_pipe(process)
    let start = Self.read(pipe, limit: limit)
    while !Self.read(pipe, limit: Int(PIPE_BUF)).isEmpty {}
    return start
  }

  private nonisolated static func readSecret(_ pipe: UnsafeMutablePointer<GInputStream>?, limit: Int) -> SecretBytes? {
    var count: gsize = 0
    let buffer = SecretBytes(count: limit + 1) { span in
      span.withUnsafeMutableBytes {
        _ = g_input_stream_read_all(pipe, $0.baseAddress, gsize($0.count), &count, nil, nil)
      }
    }
    return count > limit ? nil : buffer.withSpan { SecretBytes(copying: $0, 0..<Int(count)) }
  }

  private nonisolated static func read(_ pipe: UnsafeMutablePointer<GInputStream>?, limit: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: limit) { buffer, length in
      var count: gsize = 0
      _ = g_input_stream_read_all(pipe, buffer.baseAddress, gsize(limit), &count, nil, nil)
      length = Int(count)
    }
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
