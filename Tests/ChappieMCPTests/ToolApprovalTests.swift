// SPDX-License-Identifier: Apache-2.0
import Glibc

@testable import ChappieMCP

@Suite struct ToolApprovalTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  private var path: String { directory.path + "/git.json" }

  private func tool(
    _ name: String, _ description: String = "Reads.", readOnly: Bool? = nil, destructive: Bool? = nil,
    openWorld: Bool? = nil
  ) -> MCPTool {
    var annotations: [String: ChappieJSONValue] = [:]
    annotations["readOnlyHint"] = readOnly.map { .bool($0) }
    annotations["destructiveHint"] = destructive.map { .bool($0) }
    annotations["openWorldHint"] = openWorld.map { .bool($0) }
    let json: ChappieJSONValue = [
      "name": .string(name), "description": .string(description), "inputSchema": ["type": "object"],
      "annotations": .object(annotations),
    ]
    guard let tool = try? MCPTool(json) else { fatalError("a tool of the test cannot be used") }
    return tool
  }

  private func listing(_ tools: [MCPTool], _ instructions: String? = nil) -> MCPListing {
    MCPListing(
      serverName: "git", serverVersion: "1", revision: "2025-11-25", instructions: instructions, tools: tools)
  }

  private func approved(_ tools: [MCPTool], _ instructions: String? = nil) throws -> ToolApproval {
    var approval = ToolApproval.load("git", in: directory.path)
    approval.approve(listing(tools, instructions), program: "/usr/bin/git-server")
    try approval.save()
    return approval
  }

  @Test func anApprovalIsKept() throws {
    #expect(ToolApproval.load("git", in: directory.path).state == .new)
    var approval = try approved([tool("a"), tool("b")], "Be careful.")
    approval.noteUse(tool("a"))
    approval.noteUse(tool("a", "Other."))
    approval.noteUse(tool("c"))
    approval.noteFailure("It\u{1B}[31m ended.\nTwice.")
    try approval.save()
    let loaded = ToolApproval.load("git", in: directory.path)
    #expect(loaded == approval)
    #expect(loaded.state == .approved && loaded.used == ["a"] && loaded.program == "/usr/bin/git-server")
    #expect(loaded.error?.message == "It␛[31m ended. Twice.")
    #expect(loaded.isApproved(tool("a")) && !loaded.isApproved(tool("a", "Other.")) && !loaded.isApproved(tool("c")))
    var status = stat()
    #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
  }

  @Test func everyChangeIsSeen() throws {
    var approval = try approved([tool("a"), tool("b"), tool("c")], "Be careful.")
    #expect(approval.changes(against: listing([tool("c"), tool("b"), tool("a")], "Be careful.")).isEmpty)
    let changed = listing([tool("a", "Writes."), tool("b", readOnly: true), tool("d")])
    #expect(
      approval.changes(against: changed, program: "/tmp/git-server") == [
        .program(old: "/usr/bin/git-server", new: "/tmp/git-server"),
        .instructions(old: "Be careful.", new: nil),
        .changed(tool: "a", field: "description", old: "Reads.", new: "Writes."),
        .changed(tool: "b", field: "annotations", old: [:], new: ["readOnlyHint": true]),
        .removed("c"), .added(tool("d")),
      ])
    approval.noteStart(changed)
    #expect(approval.state == .changed)
    try approval.save()
    #expect(ToolApproval.load("git", in: directory.path).state == .changed)
    approval.approve(changed)
    #expect(approval.state == .approved && approval.changes(against: changed).isEmpty)
    // Two texts that `String` takes for one are two.
    approval = try approved([tool("a", "\u{E9}")], "\u{E9}")
    #expect(approval.changes(against: listing([tool("a", "e\u{301}")], "e\u{301}")).count == 2)
    #expect(!approval.isApproved(tool("a", "e\u{301}")))
  }

  @Test func aChangedToolAsksAgain() throws {
    var approval = try approved([tool("a", readOnly: true)])
    var entry = ToolServerEntry(ChappieMCPConfiguration(name: "git", command: ["git"]))
    entry.policy = .automatic
    #expect(approval.policy(of: tool("a", readOnly: true), entry) == .ask)
    approval.noteUse(tool("a", readOnly: true))
    #expect(approval.policy(of: tool("a", readOnly: true), entry) == .automatic)
    #expect(approval.policy(of: tool("a", "Other.", readOnly: true), entry) == .ask)
    approval.approve(listing([tool("a", "Other.", readOnly: true)]))
    #expect(approval.used.isEmpty)
  }

  @Test(
    arguments: [
      (nil, nil, nil, ChappieToolPolicy.ask), (true, nil, nil, .automatic), (true, true, nil, .ask),
      (true, true, true, .ask), (true, false, true, .automatic), (false, false, false, .automatic),
      (nil, false, false, .automatic), (nil, false, nil, .ask), (nil, nil, false, .ask), (false, nil, nil, .ask),
      (false, true, false, .ask), (nil, false, true, .ask),
    ] as [(Bool?, Bool?, Bool?, ChappieToolPolicy)])
  func annotationsDecideForATrustedServer(
    _ readOnly: Bool?, _ destructive: Bool?, _ openWorld: Bool?, _ policy: ChappieToolPolicy
  ) throws {
    let tool = tool("a", readOnly: readOnly, destructive: destructive, openWorld: openWorld)
    var approval = try approved([tool])
    var entry = ToolServerEntry(ChappieMCPConfiguration(name: "git", command: ["git"]))
    approval.noteUse(tool)
    #expect(approval.policy(of: tool, entry) == .ask)
    entry.policy = .automatic
    #expect(approval.policy(of: tool, entry) == policy)
    entry.policy = .deny
    #expect(approval.policy(of: tool, entry) == .deny)
    entry.toolPolicies["a"] = .automatic
    #expect(approval.policy(of: tool, entry) == .automatic)
  }

  @Test(arguments: [
    "", "{}", "[]", "null", #"{"pins":{}}"#, #"{"pins":[],"sha256":""}"#, #"{"pins":{},"pins":{}}"#,
    #"{"pins":{"a":{"name":"a"}},"sha256":"0","state":"approved"}"#, "\u{0}",
  ])
  func aDamagedFileApprovesNothing(_ text: String) throws {
    try Files.write(Array(text.utf8), to: path)
    let approval = ToolApproval.load("git", in: directory.path)
    guard case .damaged(let sentence) = approval.state else {
      Issue.record("\(approval.state)")
      return
    }
    #expect(sentence.description == "\(path) is damaged: no tool of “git” is approved.")
    #expect(approval.pins.isEmpty)
    #expect(try approved([tool("a")]).state == .approved)
    // A pin that was edited.
    let whole = String(decoding: try Files.read(path, limit: 1 << 20), as: UTF8.self)
    try Files.write(Array(whole.replacing("Reads.", with: "Write.").utf8), to: path)
    #expect(ToolApproval.load("git", in: directory.path).pins.isEmpty)
  }

  @Test func onlyAFileOfTheUserCounts() throws {
    _ = try approved([tool("a")])
    let other = directory.path + "/other.json"
    rename(path, other)
    symlink(other, path)
    #expect(ToolApproval.load("git", in: directory.path).pins.isEmpty)
    // The link is replaced, not its target.
    let before = try Files.read(other, limit: 1 << 20)
    _ = try approved([tool("b")])
    #expect(try Files.read(other, limit: 1 << 20) == before)
    #expect(ToolApproval.load("git", in: directory.path).pins.keys.sorted() == ["b"])
    unlink(path)
    for make in [{ _ = mkfifo($0, 0o600) }, { _ = link(other, $0) }, { _ = mkdir($0, 0o700) }] as [(String) -> Void] {
      make(path)
      #expect(ToolApproval.load("git", in: directory.path).pins.isEmpty)
      remove(path)
    }
    rename(other, path)
    #expect(ToolApproval.load("git", in: directory.path).pins.keys.sorted() == ["a"])
    chmod(path, 0o622)
    #expect(ToolApproval.load("git", in: directory.path).pins.isEmpty)
  }

  @Test func aNameIsNoPathAndAListHasABound() throws {
    for name in ["../git", "", "a/b", "."] {
      var approval = ToolApproval.load(name, in: directory.path + "/tools")
      approval.approve(listing([tool("a")]))
      #expect(throws: ToolsFileError.self) { try approval.save() }
    }
    var approval = ToolApproval(name: "git", in: directory.path)
    approval.approve(listing([tool("a", String(repeating: "a", count: 9 << 20))]))
    #expect(throws: ToolsFileError.self) { try approval.save() }
    #expect(try Files.names(in: directory.path).isEmpty)
  }
}
