// SPDX-License-Identifier: Apache-2.0

/// A server of the Model Context Protocol in a world. A `$NAME` in its list of tools has the value of an environment
/// variable.
@GLibActor
struct ToolServer {
  let world: World
  /// The path of the list of tools.
  private var tools: String { world.directories.home.path + "/tools.txt" }

  init(_ world: World, tools: String = Self.log) throws {
    self.world = world
    try lists(tools)
  }

  /// A tool that only reads.
  static let log = tool("git_log", "Shows the commits.", #"{"readOnlyHint":true}"#)

  static func tool(_ name: String, _ description: String, _ annotations: String = "{}") -> String {
    #"{"name":"\#(name)","description":"\#(description)","inputSchema":{"type":"object"},"annotations":\#(annotations)}"#
  }

  /// Changes the tools, as JSON.
  func lists(_ tools: String) throws {
    try "[\(tools)]\n".write(toFile: self.tools, atomically: true, encoding: .utf8)
  }

  /// The command of the server.
  var command: [String] { ["/usr/bin/python3", SourceTree.path(of: "Tests/tool-server.py"), "--tools", tools] }

  /// Whether the server ever ran.
  var ran: Bool { FileManager.default.fileExists(atPath: tools + ".ran") }

  /// Adds the server under this name.
  func add(_ name: String, _ options: String...) async throws -> Output {
    try await world.chappie(["tools", "add", "--yes", "--unboxed"] + options + [name, "--"] + command)
  }

  /// Adds a server whose one tool greets, and asks the user whom.
  func addGreeter() async throws {
    let output = try await world.chappie(
      ["tools", "add", "--yes", "--unboxed", "greeter", "--"] + command.prefix(2) + ["--greeter"])
    guard output.status == 0 else { throw UnmetCondition("a server: \(output.text)") }
  }

  /// What is approved of a server; nil if nothing is.
  func state(_ name: String) -> String? {
    try? String(contentsOf: world.directories.state.appending(path: "tools/\(name).json"), encoding: .utf8)
  }

  /// The file with the servers.
  func file() throws -> String {
    try String(contentsOf: world.directories.configuration.appending(path: "chappie/tools.json"), encoding: .utf8)
  }

  /// Replaces the file with the servers.
  static func write(_ text: String, in world: World) throws {
    try world.directories.configure(text, in: "tools.json")
  }
}
