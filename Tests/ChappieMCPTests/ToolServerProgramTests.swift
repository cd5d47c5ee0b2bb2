// SPDX-License-Identifier: Apache-2.0
@testable import ChappieMCP

/// The program that runs a server for the service.
@GLibActor
struct ToolServerProgramTests {
  private func start(_ options: [String], _ arguments: [String]) throws -> ToolServer {
    try ToolServer([Server.host, "--unboxed"] + options + ["--"] + Server.command(arguments))
  }

  private func call(
    _ server: ToolServer, _ name: String, _ arguments: ChappieJSONValue = [:]
  ) async throws -> MCPOutput {
    let tool = try await server.listing().tools.first { $0.name == name } ?? MCPTool(["name": .string(name)])
    return try await server.call(
      tool, arguments, within: .seconds(300), progress: { _, _ in }, ask: { _ in .cancel })
  }

  @Test(arguments: ["legacy", "modern"]) func itListsAndCalls(_ revision: String) async throws {
    let server = try start([], [revision])
    #expect(try await server.listing().tools.map(\.name) == ["echo"])
    #expect(try await call(server, "echo", ["text": "a"]).text == "a")
    // A tool that was never listed was not approved.
    #expect(
      await failure { () async throws in _ = try await call(server, "kinds") }.contains(
        "has changed since it was approved"))
    #expect(!server.isBusy)
    await server.end()
  }

  /// A model may call a hundred tools in one answer.
  @Test func manyCallsRunAtOnce() async throws {
    let server = try start([], ["modern"])
    _ = try await server.listing()
    let calls = (0..<100).map { number in
      Task.onGLib { try await call(server, "echo", ["text": .string("\(number)")]).text }
    }
    for (number, task) in calls.enumerated() { #expect(try await task.value == "\(number)") }
    await server.end()
  }

  @Test func theReasonOfAServerThatDoesNotStartIsTold() async throws {
    let server = try ToolServer([Server.host, "--unboxed", "--", "/usr/bin/false"])
    #expect(await failure { () async throws in _ = try await server.listing() }.contains("it has closed its output"))
    await server.end()
  }

  @Test func itEndsDuringTheStart() async throws {
    let marker = Server.marker()
    let server = try ToolServer([Server.host, "--unboxed", "--", "/usr/bin/sleep", marker])
    try await eventually { Server.runs(marker) }
    await server.end()
    try await eventually { !Server.runs(marker) }
  }

  @Test func aDaemonOfItsServerEndsWithIt() async throws {
    let marker = Server.marker()
    let server = try start([], ["legacy", "daemons"])
    _ = try await call(server, "daemon", ["text": .string(marker)])
    #expect(Server.runs(marker))
    await server.end()
    try await eventually { !Server.runs(marker) }
  }

  /// Bubblewrap alone leaves it to what runs in the sandbox.
  @Test(.enabled("bubblewrap can make a sandbox here") { await Server.canBox() })
  func theKernelsKeyringOfTheSessionIsLeft() async throws {
    let wrapper = """
      import ctypes, os, sys
      keyctl, add_key = {"x86_64": (250, 248), "aarch64": (219, 217)}[os.uname().machine]
      ctypes.CDLL(None).syscall(keyctl, 1, None)
      ctypes.CDLL(None).syscall(add_key, b"user", b"chappie-test", b"secret", 6, -3)
      os.execv(sys.argv[1], sys.argv[1:])
      """
    let process = try PeerProcess(
      ["/usr/bin/python3", "-c", wrapper, Server.host, "--legacy", "--directory", Server.directory]
        + ["--", "/usr/bin/python3", Server.directory + "/hostile.py"])
    let connection = MCPConnection(to: process.input, from: process.output)
    connection.start()
    let result = try await connection.request(
      "call", ["tool": "keyring", "arguments": ["key": "chappie-test"]], deadline: .seconds(300))
    #expect(result["text"]?.stringValue?.hasPrefix(#"{"reason": "#) == true, "\(result.json)")
    await process.end()
  }

  @Test func theLogIsBoundedAndComplete() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/new/log"
    let log = ToolLogWriter(path)
    for number in 0..<20_000 { log.note(errors: "line \(number)") }
    await log.finish()
    let bytes = try Files.read(path, limit: 1 << 20)
    #expect(bytes.count <= ToolLogWriter.limit)
    let lines = bytes.split(separator: UInt8(ascii: "\n"))
    #expect(String(decoding: lines.last ?? [], as: UTF8.self).contains("line 19999"))
    #expect(lines.allSatisfy { (try? ChappieJSONValue(parsing: Array($0).span)) != nil })
    let next = ToolLogWriter(path)
    next.note("echo", "completed", .milliseconds(3), bytes: 1)
    await next.finish()
    #expect(try Files.read(path, limit: 1 << 20).split(separator: UInt8(ascii: "\n")).count == lines.count + 1)
  }
}
