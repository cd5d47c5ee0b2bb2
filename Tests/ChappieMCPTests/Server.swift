// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

@testable import ChappieMCP

/// The servers of these tests.
@GLibActor
enum Server {
  nonisolated static let directory = URL(filePath: #filePath).deletingLastPathComponent().path + "/Servers"
  /// The program that runs a server for the service.
  nonisolated static let host =
    URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path
    + "/.build/debug/tool-server-host"
  private static let python = "/usr/bin/python3"

  static func command(_ arguments: [String]) -> [String] { [python, directory + "/server.py"] + arguments }

  static func configuration(
    _ arguments: [String], isBoxed: Bool = false, callTimeout: Duration = .seconds(300)
  ) -> ChappieMCPConfiguration {
    ChappieMCPConfiguration(
      name: "play", command: command(arguments),
      box: isBoxed ? .boxed(directories: [.init(path: directory, isWritable: false)]) : .unboxed,
      startTimeout: .seconds(120), callTimeout: callTimeout)
  }

  static func start(
    _ arguments: String..., isBoxed: Bool = false, callTimeout: Duration = .seconds(300)
  ) async throws -> ChappieMCPServer {
    try await .start(configuration(arguments, isBoxed: isBoxed, callTimeout: callTimeout))
  }

  /// Runs with a server, and ends it.
  static func with(
    _ arguments: String..., isBoxed: Bool = false, callTimeout: Duration = .seconds(300),
    _ body: @GLibActor (ChappieMCPServer) async throws -> Void
  ) async throws {
    let server = try await ChappieMCPServer.start(configuration(arguments, isBoxed: isBoxed, callTimeout: callTimeout))
    do {
      try await body(server)
    } catch {
      await server.end()
      throw error
    }
    await server.end()
  }

  /// Whether a sandbox can be made on this machine.
  static func canBox() async -> Bool {
    let command = ["bwrap", "--unshare-all", "--ro-bind", "/", "/", "true"]
    let outcome = try? await FileFilter.run(
      command, input: try .sealed([]), outputLimit: 1000, deadline: .seconds(60))
    return outcome?.end == .succeeded
  }

  /// Whether a process has this word in its command.
  static func runs(_ word: String) -> Bool {
    ((try? Files.names(in: "/proc")) ?? []).contains { name in
      let command = (try? Files.read("/proc/\(name)/cmdline", limit: 1 << 16)) ?? []
      return command.split(separator: 0).contains(Array(word.utf8)[...])
    }
  }

  /// An argument of `sleep` that no other test has.
  static func marker() -> String { "9999.\(UInt32.random(in: 1_000_000_000...UInt32.max))" }
}

extension ChappieMCPServer {
  /// The text of a call's result.
  func text(_ tool: String, _ arguments: ChappieJSONValue = [:]) async throws -> String {
    try await call(tool, arguments).text
  }

  /// The sentence with which a call fails.
  func failure(_ tool: String, _ arguments: ChappieJSONValue = [:]) async -> String {
    do { return try await "none: \(text(tool, arguments))" } catch { return "\(error)" }
  }
}

/// The sentence of a failure.
@GLibActor
func failure(_ body: @GLibActor () async throws -> Void) async -> String {
  do {
    try await body()
    return "none"
  } catch {
    return "\(error)"
  }
}
