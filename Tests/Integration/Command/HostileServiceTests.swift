// SPDX-License-Identifier: Apache-2.0
import Foundation
import GLibBridge
import Testing

/// Even when a hostile program owns the name `org.chappie`, the command prints no control sequence and opens nothing
/// but web pages.
@Suite(.worlds) @GLibActor
struct HostileServiceTests {
  /// The verbs that end without a signal, except those that print a model's text as data.
  private nonisolated static let lines = [
    ["sign-in"], ["sign-in", "--no-browser"], ["sign-in", "--browser"], ["sign-in", "--json", "--browser"],
    ["sign-out"], ["status"], ["status", "--json"], ["ask", "--json", "hi"],
    ["ask", "--thread", "last", "--json", "hi"], ["ask", "--thread", "new", "--json", "hi"], ["context"],
    ["context", "--json"], ["context", "--clear"], ["context", "--compact"], ["models"], ["models", "--json"],
    ["usage"], ["usage", "--json"], ["accounts"], ["accounts", "--json"], ["approvals"], ["approvals", "--json"],
    ["approvals", "approve", "x"], ["approvals", "deny", "x"], ["threads"], ["threads", "--json"],
    ["threads", "show", "last"], ["threads", "export", "last"], ["threads", "export", "last", "--format", "markdown"],
    ["threads", "rename", "last", "x"], ["threads", "archive", "last"], ["threads", "unarchive", "last"],
    ["threads", "delete", "--yes", "last"], ["threads", "usage"], ["threads", "usage", "--json"],
    ["threads", "compact", "last", "x"], ["threads", "show", "0123"], ["threads", "export", "--all", "-o", "all"],
    ["doctor"], ["doctor", "--json"],
  ]

  /// The characters of a text that control a terminal or hide text.
  private static func harm(in text: String) -> [Unicode.Scalar] {
    text.unicodeScalars.filter { scalar in
      guard scalar != "\n" else { return false }
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator: return true
      default: return scalar.properties.isBidiControl
      }
    }
  }

  @Test(arguments: [false, true]) func noVerbPrintsAControlSequence(_ isRefusing: Bool) async throws {
    try await World.with(World.Plan(keyring: .none, service: .none)) { world in
      let browser = try Browser(world.directories, schemes: Self.schemes)
      _ = try await HostileService(world, isRefusing: isRefusing)
      for line in Self.lines {
        let output = try await world.chappie(line, environment: ["DISPLAY": ":0"])
        #expect(Self.harm(in: output.text).isEmpty, "\(line): \(output.text.debugDescription)")
        // Lines of an answer may begin in a document.
        #expect(
          line.contains("markdown") || !output.text.split(separator: "\n").contains { $0.hasPrefix("forged") },
          "\(line): \(output.text)")
        #expect((0...130).contains(output.status), "\(line): \(output.status)")
        if isRefusing { #expect(output.status != 0, "\(line)") }
      }
      #expect(browser.pages.isEmpty)
    }
  }

  @Test func noVerbPrintsAControlSequenceAtATerminal() async throws {
    try await World.with(World.Plan(keyring: .none, service: .none)) { world in
      _ = try await HostileService(world)
      for line in [["ask", "hi"], ["context", "--messages"], ["threads", "show", "last"], ["status"], ["accounts"]] {
        let output = try await world.chappie(line, at: [.sees("red")])
        #expect(output.status < 99, "\(line): \(output.text)")
        Self.expectOnlyOwnSequences(in: output.text, line)
      }
      let lines = ["hi", "/context", "/model"].flatMap { line -> [TerminalStep] in
        [.prompt, .types(line + TerminalStep.enter), .sees("red")]
      }
      let chat = try await world.chappie("chat", at: lines + [.prompt, .types(TerminalStep.end)])
      #expect(chat.status < 99, "\(chat.text)")
      Self.expectOnlyOwnSequences(in: chat.text, ["chat"])
      for options in [[], ["--json"]] {
        let monitor = try ChildProcess("command", Binaries.chappie, ["monitor"] + options, in: world.directories)
        try await eventually("a line") { monitor.output.contains("\n") }
        await monitor.terminate()
        #expect(Self.harm(in: monitor.output).isEmpty, "\(monitor.output.debugDescription)")
        #expect(monitor.output.split(separator: "\n").count == 1)
      }
    }
  }

  /// The command's own sequences clear a line and make text bold or dim.
  private static func expectOnlyOwnSequences(in text: String, _ line: [String]) {
    for harmful in ["\u{1B}]", "\u{1B}[31m", "\u{9B}", "\u{90}", "\u{7}", "\u{8}q", "\u{202E}", "\u{2067}", "\u{2028}"]
    {
      #expect(!text.contains(harmful), "\(line): \(text.debugDescription)")
    }
  }

  // MARK: Pages

  private nonisolated static let schemes = ["http", "https", "evil", "file", "javascript", "data", "mailto"]

  /// Only web pages are opened.
  @Test func theOpenedPageIsTheShownPage() async throws {
    let others = [
      "evil:do", "evil://example.org/", "file:///etc/passwd", "javascript:alert(1)", "data:text/html,x", "mailto:a@b",
      "http://example.org/", "http://127.0.0.1.example.org/", "http://127.0.0.1@example.org/",
      "https://auth.openai.com@example.org/", "https://example.org\\@auth.openai.com/", "https://example.org/ x",
      "https://exämple.org/", "https://example.org/\u{202E}", "https://", "https:example.org", "/etc/passwd", "--help",
      "",
      "HTTPS:evil", "https://%65vil.example/", "https://example.org/\u{1B}]52;c;eA==\u{7}",
    ]
    try await World.with(World.Plan(keyring: .none, service: .none)) { world in
      let browser = try Browser(world.directories, schemes: Self.schemes)
      let service = try await HostileService(world)
      try await world.each(others) { page in
        service.page = page
        for method in ["--device-code", "--browser"] {
          let output = try await world.chappie(["sign-in", method], environment: ["DISPLAY": ":0"])
          #expect(output.status == 1)
          #expect(output.text.contains("was not opened"), "\(output.text)")
          #expect(Self.harm(in: output.text).isEmpty)
        }
        #expect(browser.pages.isEmpty)
      }
      let pages = ["https://example.org:8443/codex/device?x=1#y", "http://127.0.0.1:9/x", "http://[::1]:9/x"]
      try await world.each(pages) { page in
        service.page = page
        let before = browser.pages.count
        let output = try await world.chappie(["sign-in", "--device-code"], environment: ["DISPLAY": ":0"])
        #expect(output.text.hasPrefix("Open     \(page)\n"), "\(output.text)")
        #expect(try await browser.waitForPage(before + 1).trimmingCharacters(in: .whitespaces) == page)
      }
    }
  }

  // MARK: The keyring

  /// The writer of a keyring item chooses the account's name.
  @Test func theNameOfAnAccountIsEscaped() async throws {
    try await World.signedIn { world, caller in
      let name = "a\u{202E}b\u{2028}forged  c"
      try await caller.signIn(at: try await caller.open("Session", ["keychain_account": name]))
      let forged = "\u{1B}]52;c;eA==\u{7}\u{1B}[31m\nforged"
      try await expectRefusal("InvalidArgument") { try await caller.open("Session", ["keychain_account": forged]) }
      // Any program can write an item of that name. The next start finds it.
      let store = try ChildProcess(
        "secret-tool", "/usr/bin/secret-tool",
        [
          "store", "--label=x", "xdg:schema", "org.chappie.Credential", "service", "com.chappie.sdk", "account",
          forged, "access-group", "", "app-id", "",
        ], in: world.directories, input: "x")
      #expect(try await store.waitForEnd() == .exit(0), "\(store.output)")
      try await world.service.restart()
      for arguments in [["accounts"], ["accounts", "--json"], ["status", "--account", name]] {
        let output = try await world.chappie(arguments)
        #expect(output.status == 0, "\(output.text)")
        #expect(Self.harm(in: output.text).isEmpty, "\(output.text.debugDescription)")
      }
      let listed = try await world.chappie("accounts").text.split(separator: "\n").map { $0.split(separator: " ")[0] }
      #expect(listed == ["default", "a\u{FFFD}b"])
    }
  }

  // MARK: The source

  /// All output goes through the function that escapes it. This list names the exceptions.
  @Test func onlyListedFilesPrintWithoutEscaping() throws {
    let sources = try SourceTree.files(in: "Sources/chappie")
    try #require(sources.count > 50)
    let obeyed = try sources.filter { try SourceTree.text(of: $0).contains(".write(controlSequences:") }
    #expect(
      Set(obeyed.map { $0.split(separator: "/").last ?? "" })
        == [
          "AnswerView.swift", "Chat.swift", "ChatInterpreter.swift", "Spinner.swift", "ThreadConversation.swift",
          "Threads.swift",
        ])
    let data = try sources.filter { try SourceTree.text(of: $0).contains(".write(data:") }
    #expect(
      Set(data.map { $0.split(separator: "/").last ?? "" })
        == ["AnswerView.swift", "TurnPrinter.swift", "Ask.swift", "ShellIntegration.swift", "ThreadExport.swift"])
    for source in sources {
      let text = try SourceTree.text(of: source)
      for other in ["fputs(", "puts(", "fwrite(", "FileHandle"] {
        #expect(!text.contains(" \(other)"), "\(source): \(other)")
      }
    }
  }
}
