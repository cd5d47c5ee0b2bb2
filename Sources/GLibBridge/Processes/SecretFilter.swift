// SPDX-License-Identifier: Apache-2.0
import CGLib
import Glibc
import Platform
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
    let output = try process.descriptor(g_subprocess_get_stdout_pipe)
    let errors = try process.descriptor(g_subprocess_get_stderr_pipe)
    let read = await offActor(deadline: deadline) {
      // Output above the limit is not read any further.
      readAll(output, limit: outputLimit).map { ($0, readAll(errors, limit: errorOutputLimit)) }
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

  /// Reads until the other end is closed; nil when that is more than `limit` bytes.
  private nonisolated static func readAll(_ file: Descriptor, limit: Int) -> SecretBytes? {
    var filled = 0
    let buffer = SecretBytes(count: limit + 1) { span in
      span.withUnsafeMutableBytes { bytes in
        while filled < bytes.count {
          let count = read(file.number, bytes.baseAddress.map { $0 + filled }, bytes.count - filled)
          if count > 0 { filled += count }
          if count == 0 { return }
          guard count < 0 else { continue }
          switch errno {
          case EINTR: continue
          case EAGAIN:
            var waiting = pollfd(fd: file.number, events: Int16(POLLIN), revents: 0)
            poll(&waiting, 1, -1)
          default: return
          }
        }
      }
    }
    return filled > limit ? nil : buffer.withSpan { SecretBytes(copying: $0, 0..<filled) }
  }
}

/// A child process with three pipes.
@GLibActor
private final class FilterProcess {
  private let process: OpaquePointer

  init(_ program: String, _ arguments: [String]) throws {
    let flags = GSubprocessFlags(
      rawValue: G_SUBPROCESS_FLAGS_STDIN_PIPE.rawValue | G_SUBPROCESS_FLAGS_STDOUT_PIPE.rawValue
        | G_SUBPROCESS_FLAGS_STDERR_PIPE.rawValue)
    let started = try withCStrings([program] + arguments) { argv in
      try checked { g_subprocess_newv(argv, flags, &$0) }
    }
    guard let started else { throw GLibError.timedOut }
    process = started
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

  /// Duplicates the descriptor of a pipe, so that it outlives this object.
  func descriptor(_ pipe: (OpaquePointer?) -> UnsafeMutablePointer<GInputStream>?) throws -> Descriptor {
    let stream = pipe(process).map { UnsafeMutableRawPointer($0).assumingMemoryBound(to: GUnixInputStream.self) }
    let number = fcntl(g_unix_input_stream_get_fd(stream), F_DUPFD_CLOEXEC, 0)
    guard let descriptor = Descriptor(owning: number) else {
      throw GLibError(domain: "chappie-filter", code: errno, message: String(cString: strerror(errno)))
    }
    return descriptor
  }

  /// Waits for the end of the program.
  ///
  /// - Returns: whether its exit status is 0.
  func end(within deadline: Duration) async throws -> Bool {
    let process = process
    _ = try await asyncCall(deadline: deadline) { cancellable, callback, data in
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
