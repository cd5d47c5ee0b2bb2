// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc

@testable import ChappieMCP

/// What a hostile server gets in the box. SECURITY.md has the table.
@GLibActor
@Suite(.enabled("bubblewrap can make a sandbox here") { await Server.canBox() })
struct ToolBoxTests {
  /// What there is outside, which a server in the box must not reach.
  @GLibActor
  private final class Outside {
    let home: TemporaryDirectory
    let listener: LoopbackListener
    static let name = "chappie-test-\(getpid())"
    let abstract: Int32

    init() throws {
      home = try TemporaryDirectory()
      _ = try home.file("secret", Array("secret".utf8))
      listener = try LoopbackListener()
      let abstract = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
      self.abstract = abstract
      var path = sockaddr_un()
      path.sun_family = sa_family_t(AF_UNIX)
      let start = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2
      withUnsafeMutableBytes(of: &path) { bytes in
        // The name of an abstract socket begins with a zero.
        for (index, byte) in Self.name.utf8.enumerated() { bytes[start + 1 + index] = byte }
        _ = bytes.assumingMemoryBound(to: sockaddr.self).baseAddress.map {
          bind(abstract, $0, socklen_t(start + 1 + Self.name.utf8.count))
        }
      }
      listen(abstract, 100)
    }

    deinit { close(abstract) }

    var arguments: ChappieJSONValue {
      [
        "home": .string(home.path), "readable": .string(Server.directory), "port": .integer(Int64(listener.port)),
        "abstract": .string(Self.name), "process": .integer(Int64(getpid())), "key": "chappie-test",
        "bus": .string(
          (CurrentProcess.environment("DBUS_SESSION_BUS_ADDRESS") ?? "unix:path=/run/user/0/bus").split(
            separator: "=", maxSplits: 1
          ).last.map(String.init) ?? ""),
      ]
    }
  }

  /// Runs with a hostile server in the box, and with what there is outside.
  private func with(
    network: Bool = false, writable: String? = nil,
    _ body: @GLibActor (ChappieMCPServer, Outside) async throws -> Void
  ) async throws {
    let outside = try Outside()
    let directories =
      [ChappieMCPConfiguration.Directory(path: Server.directory, isWritable: false)]
      + (writable.map { [.init(path: $0, isWritable: true)] } ?? [])
    let server = try await ChappieMCPServer.start(
      ChappieMCPConfiguration(
        name: "hostile", command: ["/usr/bin/python3", Server.directory + "/hostile.py"],
        box: .boxed(network: network, directories: directories), startTimeout: .seconds(120),
        callTimeout: .seconds(300)))
    try await body(server, outside)
    await server.end()
  }

  /// The value that a server got; nil when it got nothing.
  private func got(
    _ what: String, _ server: ChappieMCPServer, _ outside: Outside
  ) async throws -> ChappieJSONValue? {
    let output = try await server.call(what, outside.arguments)
    return try ChappieJSONValue(parsing: output.text.utf8.span)["got"]
  }

  @Test(arguments: [false, true])
  func aHostileServerGetsNothing(_ network: Bool) async throws {
    try await with(network: network) { server, outside async throws in
      for what in [
        "home", "system_files", "outside", "settings", "devices", "sockets", "processes", "descriptors", "environment",
      ] {
        let value = try await got(what, server, outside)
        #expect(value == [] || value == [:], "\(what): \(value?.json ?? "")")
      }
      // Without a network of its own it reaches this machine's servers, and may reach their abstract sockets.
      for what in [
        "program", "bus", "packets", "ptrace", "kill", "mount", "remount", "namespace", "chroot", "identity",
        "terminal",
      ] + (network ? [] : ["abstract", "network"]) {
        let value = try await got(what, server, outside)
        #expect(value == nil, "\(what): \(value?.json ?? "")")
      }
      #expect(try await (got("loopback", server, outside) != nil) == network)
    }
  }

  @Test func filesInMemoryAreBounded() async throws {
    try await with { server, outside async throws in
      #expect(try await got("disk", server, outside) == [256, 256, 256, 0])
    }
  }

  /// Root is not bounded by the limit: where it matters, a unit bounds the tasks.
  @Test(.disabled(if: CurrentProcess.isRoot)) func processesAreBounded() async throws {
    try await with { server, outside async throws in
      for what in ["forks", "threads"] {
        let count = try await got(what, server, outside)?.integerValue ?? 1000
        #expect(count <= 256, "\(what)")
      }
    }
  }

  @Test func aDirectoryThatWasNamedIsWritten() async throws {
    let directory = try TemporaryDirectory()
    try await with(writable: directory.path) { server, outside async throws in
      let output = try await server.call("outside", ["readable": .string(directory.path)])
      #expect(output.text == #"{"got": ["\#(directory.path)"]}"#)
      #expect(Files.exists(directory.path + "/hostile"))
      #expect(try await got("home", server, outside) == [])
    }
  }

  @Test(
    arguments: [
      (["/usr/bin/python3"], "LD_PRELOAD", nil, [], "The variable LD_PRELOAD of"),
      (["/usr/bin/python3"], "A", nil, ["/nowhere"], "The directory /nowhere does not exist"),
      (["/usr/bin/python3"], "A", "/usr", ["/usr/share"], "The working directory /usr of"),
      (["no-such-program"], "A", nil, [], "there is no program 'no-such-program'"),
      (["./here"], "A", nil, [], "there is no program './here'"),
    ] as [([String], String, String?, [String], String)])
  func aServerThatCannotStartSaysWhy(
    _ command: [String], _ variable: String, _ directory: String?, _ directories: [String], _ reason: String
  ) async {
    let configuration = ChappieMCPConfiguration(
      name: "x", command: command, environment: [variable: "x"], directory: directory,
      box: .boxed(directories: directories.map { .init(path: $0, isWritable: false) }))
    #expect(await failure { () async throws in _ = try await ChappieMCPServer.start(configuration) }.contains(reason))
  }
}

struct ReadablePathsTests {
  /// Makes files below a directory, and links from the first name to the second.
  private func make(_ files: [String], links: [(String, String)] = [], in top: TemporaryDirectory) throws {
    let manager = FileManager.default
    for file in files + links.map(\.0) {
      let directory = (top.path + "/" + file).split(separator: "/").dropLast().joined(separator: "/")
      try manager.createDirectory(atPath: "/" + directory, withIntermediateDirectories: true)
    }
    for file in files {
      let isSettings = file.hasSuffix("pyvenv.cfg")
      _ = try top.file(file, Array((isSettings ? "home = \(top.path)/pyenv/bin\n" : "").utf8))
    }
    for (link, target) in links { symlink(target, top.path + "/" + link) }
  }

  private func paths(of program: String, _ top: TemporaryDirectory) -> [String] {
    let top = Files.realPath(of: top.path) ?? top.path
    return ToolBox.readablePaths(of: top + "/" + program).map { String($0.dropFirst(top.count + 1)) }.sorted()
  }

  @Test func ofAPythonEnvironment() throws {
    let top = try TemporaryDirectory()
    try make(
      ["venv/pyvenv.cfg", "venv/bin/server", "pyenv/bin/python3.12", "pyenv/lib/python3.12/os.py"],
      links: [("venv/bin/python", "\(top.path)/pyenv/bin/python3.12"), ("local/bin/server", "../../venv/bin/server")],
      in: top)
    #expect(paths(of: "venv/bin/server", top) == ["pyenv", "venv", "venv/bin/server"])
    #expect(paths(of: "venv/bin/python", top).contains("venv"))
    #expect(paths(of: "venv/bin/python", top).contains("pyenv"))
    #expect(paths(of: "local/bin/server", top) == ["local/bin/server", "pyenv", "venv", "venv/bin/server"])
  }

  @Test func ofNodePackages() throws {
    let top = try TemporaryDirectory()
    try make(
      ["lib/node_modules/server/dist/index.js"],
      links: [("bin/server", "../lib/node_modules/server/dist/index.js")], in: top)
    #expect(
      paths(of: "bin/server", top)
        == ["bin/server", "lib/node_modules", "lib/node_modules/server/dist/index.js"])
  }

  @Test func ofAProgramAlone() throws {
    let top = try TemporaryDirectory()
    try make([".local/bin/server", ".local/lib/python3/x", ".local/bin/python3"], in: top)
    #expect(paths(of: ".local/bin/server", top) == [".local/bin/server"])
    #expect(paths(of: ".local/bin/python3", top) == [".local/bin/python3"])
    #expect(ToolBox.readablePaths(of: "/usr/bin/env") == [])
  }
}
