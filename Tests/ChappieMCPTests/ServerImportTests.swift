// SPDX-License-Identifier: Apache-2.0
import ChappieMCP

@Suite struct ServerImportTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  private func servers(_ text: String, _ name: String = "mcp.json") throws -> [ServerImport.Server] {
    try ServerImport(path: directory.file(name, Array(text.utf8))).servers
  }

  private func server(_ text: String, _ name: String = "mcp.json") throws -> ChappieMCPConfiguration {
    try #require(servers(text, name).first).entry.get().configuration
  }

  @Test func filesOfEditorsAreRead() throws {
    let found = try servers(
      """
      \u{FEFF}// A comment, "with quotes".
      {
        /* servers: { */
        "servers": {
          "git": {"type": "stdio", "command": "git-server", "args": ["//not a comment", "/* nor this */", "a,]",],},
          "web": {"url": "https://example.org/mcp"},
        }, // the end
      }
      """)
    try #require(found.map(\.name) == ["git", "web"])
    #expect(
      try found[0].entry.get().configuration.command == ["git-server", "//not a comment", "/* nor this */", "a,]"])
    #expect(throws: ToolsFileError.self) { try found[1].entry.get() }
  }

  @Test func bothNamesOfAFileAreRead() throws {
    let found = try servers(
      #"{"servers":{"b":{"command":"b"},"a":{"command":"b"}},"mcpServers":{"a":{"command":"a"}}}"#)
    #expect(try found.map { try $0.entry.get().configuration.command } == [["a"], ["b"]])
    #expect(try servers(#"{"mcpServers":{},"servers":{"a":{"command":"a"}}}"#).count == 1)
  }

  @Test func variablesOfOthersAreConverted() throws {
    let server = try server(
      #"""
      {"mcpServers":{"a":{"command":"a","args":["${userHome}/x"],"cwd":"${userHome}/y",
        "env":{"T":"${env:TOKEN}","U":"${U:-u}"}}}}
      """#)
    #expect(server.command == ["a", "${HOME}/x"])
    #expect(server.environment == ["T": "${TOKEN}", "U": "${U:-u}"])
    #expect(server.directory == Directories.home + "/y")
    for (place, path) in [("", nil), ("~/y", Directories.home + "/y"), ("/srv/x:ro", "/srv/x:ro")] {
      let server = try self.server(#"{"mcpServers":{"a":{"command":"a","cwd":"\#(place)"}}}"#)
      #expect(server.directory == path)
      #expect(server.box == .boxed(directories: path.map { [.init(path: $0, isWritable: false)] } ?? []))
    }
    #expect(server.box == .boxed(directories: [.init(path: Directories.home + "/y", isWritable: false)]))
  }

  @Test(arguments: [
    (#""args":["${input:key}"]"#, "chappie tools secret"), (#""env":{"K":"${input:key}"}"#, "chappie tools secret"),
    (#""args":["${workspaceFolder}/a"]"#, "only an editor knows"), (#""envFile":".env""#, "'envFile'"),
    (#""args":["${a b}"]"#, "is no variable"),
  ])
  func whatOnlyAnEditorKnowsIsRefused(_ member: String, _ hint: String) throws {
    let found = try servers(#"{"mcpServers":{"a":{"command":"a",\#(member)}}}"#)
    let error = #expect(throws: ToolsFileError.self) { try found[0].entry.get() }
    #expect(error?.description.contains(hint) == true, "\(error?.description ?? "")")
  }

  /// An import cannot give a server rights, but what its working directory needs.
  @Test func anImportGivesNoRights() throws {
    let server = try server(
      #"{"mcpServers":{"a":{"command":"a","cwd":"/usr/share","chappie":{"unboxed":true,"network":true,"policy":"automatic"}}}}"#
    )
    #expect(server.box == .boxed(directories: [.init(path: "/usr/share", isWritable: false)]))
  }

  @Test func codexTablesAreRead() throws {
    let found = try servers(
      #"""
      \#u{FEFF}# Codex
      model = "gpt-6" # a comment
      notify = ["a",
        "b", # another
      ]
      started = 2026-11-28T12:00:00Z
      big = 1_000.5
      text = """
      several
      lines \
         joined "" """
      raw = '''C:\path'''
      [projects."/home/me/a.b"]
      trust_level = "trusted"
      [[hooks]]
      name = 'x'
      [[hooks]]
      name = "y"
      [mcp_servers.git]
      command = "git-server"
      args = ["--repository", 'C:\src', "\u00e4\t\"",]
      env = { TOKEN = "t", "B" = 'b' }
      env_vars = ["PATH_TO"]
      startup_timeout_sec = 20
      tool_timeout_sec = 30.0
      disabled_tools = ["commit"]
      [mcp_servers.git.tools.push]
      approval_mode = "approve"
      [mcp_servers."time"]
      command = "time-server"
      enabled = false
      [mcp_servers."time".env]
      ZONE = "UTC"
      [mcp_servers.remote]
      url = "https://example.org"
      bearer_token_env_var = "T"
      [mcp_servers.empty]
      # command = "a"
      """#, "config.toml")
    try #require(found.map(\.name) == ["empty", "git", "remote", "time"])
    #expect(throws: ToolsFileError.self) { try found[0].entry.get() }
    let git = try found[1].entry.get()
    #expect(git.configuration.command == ["git-server", "--repository", #"C:\src"#, "ä\t\""])
    #expect(git.configuration.environment == ["TOKEN": "t", "B": "b", "PATH_TO": "${PATH_TO}"])
    #expect(git.configuration.startTimeout == .seconds(20) && git.configuration.callTimeout == .seconds(30))
    #expect(git.toolPolicies == ["commit": .deny])
    #expect(throws: ToolsFileError.self) { try found[2].entry.get() }
    let time = try found[3].entry.get()
    #expect(!time.isEnabled && time.configuration.environment == ["ZONE": "UTC"])
  }

  @Test(arguments: [
    ("a = ", 1), ("[[mcp_servers]]", 1), ("a = \"b", 1), ("\n\na = [1, 2", 3), ("a = 1 2", 1), ("[a", 1), ("[a]]", 1),
    ("= 1", 1),
    ("mcp_servers.a = 1\nmcp_servers.a = 2", 2), ("mcp_servers.a = 1\n[mcp_servers.a.b]\nc = 2", 2),
    ("a = \"\\x\"", 1), ("a = \"\\ud800\"", 1), ("a = {b = 1", 1), ("a = \"b\nc\"", 1), ("\u{0}", 1), ("a", 1),
    ("a." + String(repeating: "b.", count: 100) + "c = 1", 1), ("a = " + String(repeating: "[", count: 100_000), 1),
  ])
  func noiseInTOMLNamesItsLine(_ text: String, _ line: Int) throws {
    let error = #expect(throws: ToolsFileError.self) { try servers(text, "config.toml") }
    #expect(error?.description.hasSuffix("its line \(line) cannot be read.") == true, "\(error?.description ?? "")")
  }

  @Test(arguments: [
    "", "{", "[]", "{}", #"{"mcpServers":{}}"#, #"{"mcpServers":{"a":{}},"mcpServers":{}}"#, "/*", "\"", "\"\\",
  ])
  func aFileWithoutServersIsRefused(_ text: String) throws {
    let error = #expect(throws: ToolsFileError.self) { try servers(text) }
    #expect(error?.description.hasPrefix("Nothing was taken from ") == true)
  }

  @Test func aLargeFileIsReadInTime() throws {
    let noise = String(repeating: "/* \",\" */ , ", count: 100_000)
    #expect(throws: ToolsFileError.self) { try servers("{\(noise)}") }
    let text = #"{"history":["\#(String(repeating: "a,]//", count: 200_000))"],"mcpServers":{"a":{"command":"a"}}}"#
    #expect(try server(text).command == ["a"])
    let many = (0..<300).map { "[mcp_servers.s\($0)]\ncommand = \"a\"\n" }.joined()
    #expect(throws: ToolsFileError.self) { try servers(many, "config.toml") }
    let keys = "[mcp_servers.a]\ncommand = \"a\"\n" + (0..<200_000).map { "k\($0) = 1\n" }.joined()
    #expect(try server(keys, "config.toml").command == ["a"])
  }
}
