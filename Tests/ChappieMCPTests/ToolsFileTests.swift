// SPDX-License-Identifier: Apache-2.0
import ChappieMCP
import Glibc
import SecretMemory

@Suite struct ToolsFileTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  private var path: String { directory.path + "/chappie/tools.json" }

  private func read(_ text: String) throws -> ToolsFile {
    try Files.makeDirectory(directory.path + "/chappie")
    try Files.write(Array(text.utf8), to: path)
    return try ToolsFile.read(path)
  }

  private func servers(_ text: String) throws -> [ToolServerEntry] {
    try read(#"{"mcpServers":\#(text)}"#).servers
  }

  @Test func aMissingFileIsEmpty() throws {
    #expect(try ToolsFile.read(path).servers.isEmpty)
    #expect(try read("{}").servers.isEmpty)
    // JSON's own reader takes U+0000 for a replacement character.
    #expect(try servers(#"{"a":{"command":"a\u0000"}}"#)[0].configuration.command == ["a\u{FFFD}"])
  }

  @Test func everyMemberIsRead() throws {
    let servers = try servers(
      """
      {"git":{"command":"mcp-server-git","args":["--repository","${HOME}/src"],"env":{"TOKEN":"${keyring:git}"},
      "cwd":"/usr/share","type":"stdio","chappie":{"network":true,"directories":["/usr/share:ro"],"unboxed":false,
      "policy":"automatic","tools":{"git_commit":"deny"},"timeout":5,"startTimeout":7,"disabled":true}},
      "a":{"command":"a","chappie":{"unboxed":true}}}
      """)
    try #require(servers.map(\.configuration.name) == ["a", "git"])
    #expect(servers[0].configuration == ChappieMCPConfiguration(name: "a", command: ["a"], box: .unboxed))
    #expect(servers[0].policy == .ask && servers[0].isEnabled)
    #expect(
      servers[1].configuration
        == ChappieMCPConfiguration(
          name: "git", command: ["mcp-server-git", "--repository", "${HOME}/src"],
          environment: ["TOKEN": "${keyring:git}"], directory: "/usr/share",
          box: .boxed(network: true, directories: [.init(path: "/usr/share", isWritable: false)]),
          startTimeout: .seconds(7), callTimeout: .seconds(5)))
    #expect(servers[1].policy == .automatic && !servers[1].isEnabled)
    #expect(servers[1].toolPolicies == ["git_commit": .deny])
  }

  @Test(arguments: [
    ("", "it is no JSON, or has a name twice in an object"), ("[]", "it is no JSON object"),
    (#"{"mcpServers":[]}"#, "'mcpServers' is no object"),
    (#"{"mcpServers":{"a":{"command":"a"},"a":{"command":"b"}}}"#, "it is no JSON, or has a name twice in an object"),
  ])
  func aDamagedFileSaysWhatIsWrong(_ text: String, _ clause: String) throws {
    let error = #expect(throws: ToolsFileError.self) { try read(text) }
    #expect(error?.description == "\(path) is damaged: \(clause).")
  }

  @Test(arguments: [
    ("3", "“a” must be an object"), ("{}", "“a” has no 'command'"),
    (#"{"command":""}"#, "'command' of “a” must be a text that is not empty"),
    (#"{"command":"a","args":["b",1]}"#, "'args' of “a” must be a list of texts"),
    (#"{"command":"a","cwd":"src"}"#, "'cwd' of “a” must be an absolute path"),
    (#"{"command":"a","env":{"B":1}}"#, "'env' of “a” must be an object of texts"),
    (#"{"command":"a","env":{"B=C":""}}"#, "“B=C” of “a” is no name of an environment variable"),
    (#"{"command":"a","chappie":[{"policy":"deny"}]}"#, "'chappie' of “a” must be an object"),
    (#"{"command":"a","chappie":{"directories":["src"]}}"#, wrongDirectory),
    (#"{"command":"a","chappie":{"directories":["${HOME}/src"]}}"#, wrongDirectory),
    (#"{"command":"a","chappie":{"policy":"never"}}"#, "'chappie.policy' of “a” must be automatic, ask or deny"),
    (#"{"command":"a","chappie":{"tools":{"b":"never"}}}"#, "'chappie.tools' of “a” must be an object of policies"),
    (#"{"command":"a","chappie":{"timeout":0}}"#, wrongTime),
    (#"{"command":"a","chappie":{"timeout":1e300}}"#, wrongTime),
    (#"{"url":"https://example.org"}"#, overHTTP), (#"{"command":"a","type":"sse"}"#, overHTTP),
  ])
  func aDamagedServerSaysWhatIsWrong(_ server: String, _ clause: String) throws {
    let error = #expect(throws: ToolsFileError.self) { try servers("{\"a\":\(server)}") }
    #expect(error?.description == "\(path) is damaged: \(clause).")
  }

  private static let wrongDirectory = "'chappie.directories' of “a” must be a list of absolute paths"
  private static let wrongTime = "'chappie.timeout' of “a” must be a number of seconds from 1 to 3600"
  private static let overHTTP = "“a” is reached over HTTP, and only servers that are programs can be used"

  @Test(arguments: ["", "..", "a/b", "a b", "ä", "a\u{1B}[31m", "a\u{202E}", String(repeating: "a", count: 33)])
  func aNameWithOtherCharactersIsRefused(_ name: String) throws {
    let json = ChappieJSONValue.object([name: ["command": "a"]]).json
    let error = #expect(throws: ToolsFileError.self) { try servers(json) }
    #expect(error?.description.unicodeScalars.contains("\u{1B}") == false)
    #expect(!ChappieMCPConfiguration.isName(name))
    var file = try ToolsFile.read(directory.path + "/none.json")
    #expect(throws: ToolsFileError.self) {
      try file.set(ToolServerEntry(ChappieMCPConfiguration(name: name, command: ["a"])))
    }
  }

  @Test func tooManyServersAndATooLongFileAreRefused() throws {
    let many = Dictionary(
      uniqueKeysWithValues: (0..<10_000).map { ("s\($0)", ChappieJSONValue.object(["command": "a"])) })
    let error = #expect(throws: ToolsFileError.self) { try servers(ChappieJSONValue.object(many).json) }
    #expect(error?.description.hasSuffix("it has more than 256 servers.") == true)
    let long = #expect(throws: ToolsFileError.self) { try read(String(repeating: " ", count: 1 << 20) + "{}") }
    #expect(long?.description.hasSuffix("it has more than 1048576 bytes.") == true)
  }

  @Test func unknownMembersStay() throws {
    var file = try read(
      #"{"other":1,"mcpServers":{"a":{"command":"a","x":{"y":[]},"chappie":{"z":null,"timeout":9}}}}"#)
    var entry = try #require(file["a"])
    entry.policy = .deny
    entry.configuration.callTimeout = .seconds(60)
    try file.set(entry)
    try file.set(ToolServerEntry(ChappieMCPConfiguration(name: "b", command: ["b", "c"], environment: ["D": "e"])))
    try file.write()
    let json = try ChappieJSONValue(json: String(decoding: Files.read(path, limit: 4096), as: UTF8.self))
    #expect(json["other"] == 1)
    #expect(
      json["mcpServers"]?["a"] == [
        "command": "a", "args": [], "x": ["y": []],
        "chappie": ["z": .null, "policy": "deny", "network": false, "directories": []],
      ])
    #expect(try ToolsFile.read(path).servers == file.servers)
    file.remove("a")
    try file.write()
    #expect(try ToolsFile.read(path).servers.map(\.configuration.name) == ["b"])
  }

  @Test func theFileIsTheUsersAlone() throws {
    try ToolsFile.read(path).write()
    var status = stat()
    #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
    chmod(path, 0o666)
    #expect(throws: ToolsFileError.self) { try ToolsFile.read(path) }
    unlink(path)
    mkfifo(path, 0o600)
    #expect(throws: ToolsFileError.self) { try ToolsFile.read(path) }
    // A link, as programs that manage configurations make them, stays.
    unlink(path)
    let target = try directory.file("real.json", Array("{}".utf8))
    symlink(target, path)
    var file = try ToolsFile.read(path)
    try file.set(ToolServerEntry(ChappieMCPConfiguration(name: "a", command: ["a"])))
    try file.write()
    #expect(lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
    #expect(try ToolsFile.read(target).servers.count == 1)
  }

  @Test func aDirectoryIsWrittenAsItIsRead() {
    for argument in ["/a", "/a:ro", "/a:ro/", "/a:ro:ro", "", ":ro"] {
      let directory = ChappieMCPConfiguration.Directory(argument: argument)
      #expect(ChappieMCPConfiguration.Directory(argument: directory.argument) == directory, "\(argument)")
    }
    // A name that ends like the mark.
    #expect(ChappieMCPConfiguration.Directory(argument: "/a:ro/") == .init(path: "/a:ro", isWritable: true))
  }

  @Test func aDirectoryWithSecretsIsRefused() {
    let home = Directories.home
    for path in ["/", home, "/proc/self", "/dev/shm", "/sys", home + "/..", "/nowhere", Directories.runtime] {
      #expect(ChappieMCPConfiguration.Directory(argument: path).problem != nil, "\(path)")
    }
    #expect(ChappieMCPConfiguration.Directory(argument: "/usr/share:ro").problem == nil)
    #expect(ChappieMCPConfiguration.Directory(argument: directory.path).problem == nil)
    symlink("/", directory.path + "/root")
    #expect(ChappieMCPConfiguration.Directory(argument: directory.path + "/root").problem != nil)
  }

  /// A file that names such a directory can be read, since a disk may be away for a while. Its server does not start.
  @Test func aDirectoryIsCheckedAtTheStart() throws {
    let link = directory.path + "/data"
    let json = #"{"a":{"command":"/usr/bin/true","chappie":{"directories":["\#(link)"]}}}"#
    func start() throws { _ = try ToolBox.command(for: try servers(json)[0].configuration) }
    #expect(throws: ChappieMCPError.self) { try start() }
    var file = try ToolsFile.read(path)
    #expect(throws: Never.self) { try file.set(try servers(json)[0]) }
    symlink(Directories.home, link)
    let error = #expect(throws: ChappieMCPError.self) { try start() }
    #expect(error?.description.contains("which has your whole home directory") == true)
  }

  /// They would be loaded into bubblewrap, before there is a sandbox.
  @Test(arguments: ["LD_PRELOAD", "LD_LIBRARY_PATH", "LD_AUDIT", "GCONV_PATH", "GLIBC_TUNABLES"])
  func aVariableThatLoadsCodeIsRefused(_ variable: String) {
    func check(_ box: ChappieMCPConfiguration.Box) throws {
      try ChappieMCPConfiguration(name: "a", command: ["a"], environment: [variable: "/tmp/a.so"], box: box).check()
    }
    #expect(throws: ToolsFileError.self) { try check(.boxed()) }
    #expect(throws: Never.self) { try check(.unboxed) }
    let json = #"{"a":{"command":"a","env":{"\#(variable)":"/tmp/a.so"},"chappie":{"directories":["/nowhere"]}}}"#
    #expect(throws: ToolsFileError.self) { try servers(json) }
  }

  /// A server that may write its Python environment could let it name the home directory.
  @Test func anEnvironmentOfPythonShowsNoOtherDirectory() throws {
    try Files.makeDirectory(directory.path + "/bin")
    let program = try directory.file("bin/server", Array("#!/bin/sh\n".utf8))
    chmod(program, 0o700)
    for home in [Directories.home, Directories.runtime, directory.path + "/none"] {
      _ = try directory.file("pyvenv.cfg", Array("home = \(home)/bin\n".utf8))
      let command = try ToolBox.command(for: ChappieMCPConfiguration(name: "a", command: [program]))
      let shown = zip(command, command.dropFirst()).filter { $0.0 == "--ro-bind" }.map(\.1)
      #expect(shown.contains(directory.path) && !shown.contains(home))
    }
  }

  @Test func aWorkingDirectoryIsInTheSandbox() {
    func check(_ place: String, _ box: ChappieMCPConfiguration.Box) throws {
      try ChappieMCPConfiguration(name: "a", command: ["a"], directory: place, box: box).check()
    }
    let box = ChappieMCPConfiguration.Box.boxed(directories: [.init(path: "/usr/share", isWritable: false)])
    #expect(throws: Never.self) { try check("/usr/share", box) }
    #expect(throws: Never.self) { try check("/usr/share/doc", box) }
    #expect(throws: Never.self) { try check("/", .unboxed) }
    #expect(throws: ToolsFileError.self) { try check("/usr/shared", box) }
    #expect(throws: ToolsFileError.self) { try check("/usr/share/../lib", box) }
  }
}

@Suite struct VariablesTests {
  private func resolve(_ text: String) async throws -> String {
    try await Variables.resolve(text, environment: { ["A": "1", "B_2": "${A}"][$0] }) { name in
      SecretBytes(Array("secret of \(name)".utf8))
    }
  }

  @Test(arguments: [
    ("", ""), ("$A $$ {A} $", "$A $$ {A} $"), ("${A}", "1"), ("a${A}b${A}", "a1b1"),
    // A value is not read again.
    ("${B_2}", "${A}"), ("${C:-x}", "x"), ("${C:-}", ""), ("${A:-x}", "1"), ("${C:-a:-b}", "a:-b"),
    ("Bearer ${keyring:git-1}", "Bearer secret of git-1"),
  ])
  func aVariableHasItsValue(_ text: String, _ value: String) async throws {
    #expect(try await resolve(text) == value)
  }

  @Test(arguments: [
    "${C}", "${", "a${A", "${}", "${1}", "${A-x}", "${env:A}", "${input:a}", "${keyring:}", "${keyring:../a}",
    "${keyring:a b}", "${A\u{1B}}", "${workspaceFolder}",
  ])
  func anythingElseIsRefused(_ text: String) async throws {
    await #expect(throws: ToolsFileError.self) { try await resolve(text) }
  }

  @Test func aSecretInTheCommandIsRefused() async throws {
    let configuration = ChappieMCPConfiguration(name: "git", command: ["git", "${keyring:git}"])
    let error = await #expect(throws: ToolsFileError.self) {
      try await Variables.resolve(configuration) { _ in SecretBytes([]) }
    }
    #expect(error?.description.hasPrefix("The command of “git” has the secret “git”") == true)
  }

  @Test func aConfigurationIsResolvedAsAWhole() async throws {
    let configuration = ChappieMCPConfiguration(
      name: "git", command: ["git", "${A}"], environment: ["T": "${keyring:t}", "U": "u"])
    let resolved = try await Variables.resolve(configuration, environment: { _ in "a" }) { _ in
      SecretBytes(Array("s".utf8))
    }
    #expect(resolved.command == ["git", "a"])
    #expect(resolved.environment == ["T": "s", "U": "u"])
  }
}
