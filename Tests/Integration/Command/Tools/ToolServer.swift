// SPDX-License-Identifier: Apache-2.0
import GLibBridge

/// A server of the Model Context Protocol in a world. A `$NAME` in its list of tools has the value of an environment
/// variable.
@GLibActor
struct ToolServer {
  let world: World
  /// The path of the list of tools.
  private let tools: String

  init(_ world: World, tools: String = Self.log) async throws {
    self.world = world
    self.tools = try await world.shell(#"printf %s "$HOME/tools.txt""#).text
    try await lists(tools)
  }

  /// A tool that only reads.
  static let log = tool("git_log", "Shows the commits.", #"{"readOnlyHint":true}"#)

  static func tool(_ name: String, _ description: String, _ annotations: String = "{}") -> String {
    #"{"name":"\#(name)","description":"\#(description)","inputSchema":{"type":"object"},"annotations":\#(annotations)}"#
  }

  /// Changes the tools, as JSON.
  func lists(_ tools: String) async throws {
    _ = try await world.shell("cat >\"$HOME/tools.txt\" <<'END'\n[\(tools)]\nEND\n")
  }

  /// The command of the server.
  var command: [String] { ["/usr/bin/python3", SourceTree.path(of: "Tests/tool-server.py"), "--tools", tools] }

  /// Whether the server ever ran.
  var ran: Bool {
    get async throws { try await world.shell(#"test -e "$HOME/tools.txt.ran""#).status == 0 }
  }

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

  /// What is approved of a server.
  func state(_ name: String) async throws -> String {
    try await world.shell(#"cat "${XDG_STATE_HOME:-$HOME/.local/state}/chappie/tools/\#(name).json""#).text
  }

  /// The file with the servers.
  func file() async throws -> String {
    try await world.shell(#"cat "${XDG_CONFIG_HOME:-$HOME/.config}/chappie/tools.json""#).text
  }

  /// Replaces the file with the servers.
  static func write(_ text: String, in world: World) async throws {
    _ = try await world.shell(
      """
      mkdir -p "${XDG_CONFIG_HOME:-$HOME/.config}/chappie"
      cat >"${XDG_CONFIG_HOME:-$HOME/.config}/chappie/tools.json" <<'END'
      \(text)
      END
      """)
  }
}
