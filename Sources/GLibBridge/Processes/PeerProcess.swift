// SPDX-License-Identifier: Apache-2.0
import CGLib
import Glibc
import Platform

/// A child process with which this one exchanges messages over its standard input and output.
@GLibActor
package final class PeerProcess {
  /// The standard input and output of the process.
  package let input: StreamSocket
  package let output: StreamSocket
  /// The standard error of the process.
  package let errors: StreamSocket
  private let process: OpaquePointer
  private let ended = Wait()
  private let endsItself: Bool
  /// The process group, while its leader runs.
  private var group: pid_t?
  /// Whether the process has ended.
  package private(set) var hasEnded = false

  /// Starts a program in a session of its own.
  ///
  /// - Parameters:
  ///   - command: the program, from the search path or with its own path, and its arguments.
  ///   - environment: the whole environment; nil for that of this process.
  ///   - directory: the working directory; nil for that of this process.
  ///   - endsItself: whether the program ends when its input is closed, with all that it has started. Then the release
  ///     of this object does not kill it.
  /// - Throws: ``GLibError`` when the program cannot be started.
  package init(
    _ command: [String], environment: [String: String]? = nil, directory: String? = nil, endsItself: Bool = false
  ) throws {
    self.endsItself = endsItself
    let (input, childInput) = try StreamSocket.pair()
    let (output, childOutput) = try StreamSocket.pair()
    let (errors, childErrors) = try StreamSocket.pair()
    let launcher = g_subprocess_launcher_new(G_SUBPROCESS_FLAGS_NONE)
    defer { g_object_unref(UnsafeMutableRawPointer(launcher)) }
    // The launcher would pass on this process's own standard streams in place of a descriptor that is missing.
    g_subprocess_launcher_take_stdin_fd(launcher, try duplicate(childInput.number))
    g_subprocess_launcher_take_stdout_fd(launcher, try duplicate(childOutput.number))
    g_subprocess_launcher_take_stderr_fd(launcher, try duplicate(childErrors.number))
    if let environment {
      var none: UnsafeMutablePointer<gchar>?
      g_subprocess_launcher_set_environ(launcher, &none)
      for (name, value) in environment { g_subprocess_launcher_setenv(launcher, name, value, 1) }
    }
    if let directory { g_subprocess_launcher_set_cwd(launcher, directory) }
    process = try withCStrings(["/usr/bin/setsid"] + command) { argv in
      try checked { g_subprocess_launcher_spawnv(launcher, argv, &$0) }
    }
    group = g_subprocess_get_identifier(process).flatMap { pid_t(String(cString: $0)) }
    self.input = input
    self.output = output
    self.errors = errors
    let (process, ended) = (process, ended)
    Task.onGLib { [weak self] in
      _ = try? await asyncCall { cancellable, callback, data in
        g_subprocess_wait_async(process, cancellable, callback, data)
      } finish: { result, error in
        g_subprocess_wait_finish(process, result, &error)
      }
      self?.leaderEnded()
      ended.finish()
    }
  }

  isolated deinit {
    if !endsItself { kill(SIGKILL) }
    g_object_unref(UnsafeMutableRawPointer(process))
  }

  /// Ends the process: closes its input, and if it does not end, terminates it and at last kills it.
  ///
  /// - Parameter patience: the longest wait for the end before each of these steps.
  package func end(patience: Duration = .seconds(2)) async {
    input.finish()
    for signal in [SIGTERM, SIGKILL] {
      if await hasEnded(within: patience) { break }
      kill(signal)
    }
    _ = await hasEnded(within: patience)
    for socket in [input, output, errors] { socket.close() }
  }

  private func hasEnded(within patience: Duration) async -> Bool {
    let ended = ended
    _ = try? await withDeadline(patience) { await ended.value() }
    return hasEnded
  }

  /// What the process has left behind in its process group ends with it. Afterwards the number may be another's.
  private func leaderEnded() {
    kill(SIGKILL)
    group = nil
    hasEnded = true
    // A process that has left the group may still hold the other ends.
    output.endInput()
    errors.endInput()
  }

  private func kill(_ signal: Int32) {
    guard let group else { return }
    // There is no group before the process has made its session.
    if Glibc.kill(-group, signal) != 0 { Glibc.kill(group, signal) }
  }
}
