// SPDX-License-Identifier: Apache-2.0
import Glibc

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
    let world = try await World.begin(World.Plan(keyring: .none, service: .none))
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

  @Test func noVerbPrintsAControlSequenceAtATerminal() async throws {
    let world = try await World.begin(World.Plan(keyring: .none, service: .none))
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
      let monitor = try world.begin(["monitor"] + options)
      try await eventually("a line") { monitor.output.contains("\n") }
      await monitor.terminate()
      #expect(Self.harm(in: monitor.output).isEmpty, "\(monitor.output.debugDescription)")
      #expect(monitor.output.split(separator: "\n").count == 1)
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
    let world = try await World.begin(World.Plan(keyring: .none, service: .none))
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

  // MARK: The keyring

  /// The writer of a keyring item chooses the account's name.
  @Test func theNameOfAnAccountIsEscaped() async throws {
    let (world, caller) = try await World.signedIn()
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

  // MARK: Turns

  private nonisolated static let noAnswer =
    "chappie: The service answered with something that is no answer: see journalctl --user -u chappie.\n"
  private nonisolated static let ended =
    "chappie: The service ended before it answered: try again, and see journalctl --user -u chappie.\n"

  @Test func nonsenseIsNoAnswer() async throws {
    let answers: [(HostileService.Speech, String)] = [
      (.text("Hello!\n"), Self.noAnswer), (.text("[1]\n"), Self.noAnswer), (.text("\n"), Self.noAnswer),
      (.bytes((0...255).map { $0 } + [10]), Self.noAnswer),
      (.text(String(repeating: "[", count: 1 << 20) + "\n"), Self.noAnswer),
      (.text("{\"x\":[\(String(repeating: "0,", count: 1 << 20))0]}\n"), Self.noAnswer),
      (.text(""), Self.ended), (.text(#"{"event":"text-delta","te"#), Self.ended),
      (.text(#"{"event":"else"}"# + "\n"), Self.ended),
      (.text(#"{"event":"text-delta","text":"Half"}"# + "\n"), "Half\n" + Self.ended),
      // A line without an end is bounded.
      (.torrent("{\"event\":\"", String(repeating: "x", count: 1 << 16)), Self.noAnswer),
    ]
    // Members of other types are left out.
    let completed = #"{"event":"completed","text":5,"model":[],"refusal":"x","input_tokens":-1e300}"# + "\n"
    let failed = #"{"event":"failed","error":[],"status":"429","resets_at":"never"}"# + "\n"
    let endless = HostileService.Speech.torrent(
      #"{"event":"text-delta","text":"Begun"}"# + "\n",
      String(repeating: #"{"event":"text-delta","text":"."}"# + "\n", count: 1000))
    let world = try await World.begin(World.Plan(keyring: .none, service: .none))
    // One in each turn.
    let service = try await HostileService(
      world, speeches: answers.map { $0.0 } + [.text(completed), .text(failed), endless])
    try await world.each(answers) { _, text in
      try await world.chappie("ask", "hi").expect(1, only: text)
    }
    #expect(service.torrentBytes < 64 << 20)
    try await world.chappie("ask", "--json", "hi").expect(only: #"{"text":""}"# + "\n")
    #expect(try await world.chappie("ask", "hi").status == 1)
    // Interrupts are noticed while lines come without a pause.
    let process = try world.begin("ask", "hi")
    try await eventually("an answer") { process.output.contains("Begun...") }
    process.send(SIGINT)
    #expect(try await process.waitForEnd() == .exit(130))
    #expect(process.output.hasSuffix(".\nchappie: Cancelled.\n"))
  }

  @Test func anOlderServiceIsNamed() async throws {
    let world = try await World.begin(World.Plan(keyring: .none, service: .none))
    _ = try await HostileService(world, speeches: [])
    for line in [["ask", "hi"], ["ask", "--thread", "new", "hi"]] {
      try await world.chappie(line)
        .expect(1, beginning: "chappie: The service that runs is older than this command: ")
    }
  }

  // MARK: A turn that is opened at the prompt

  @Test func aTurnThatEndedAtThePromptIsReplaced() async throws {
    let world = try await World.begin(World.Plan(keyring: .none, service: .none))
    let service = try await HostileService(
      world,
      speeches: [
        .text(#"{"event":"failed","error":"org.chappie.Error.Cancelled","message":"Too late."}"# + "\n"),
        .text(#"{"event":"text-delta","text":"A later answer"}"# + "\n" + #"{"event":"completed"}"# + "\n"),
      ])
    async let output = world.chappie(
      "chat",
      at: [
        .prompt, .runs("until [ -e opened ]; do sleep 0.01; done"), .types("hi\(TerminalStep.enter)"),
        .sees("A later answer"), .prompt, .types(TerminalStep.end),
      ])
    try await eventually("a turn") { service.turns > 0 }
    try Data().write(to: world.directories.home.appending(path: "opened"))
    #expect(try await output.status == 0)
  }

  // MARK: Texts of a model and of a person

  private static let markedText = "\u{1B}[31mred\u{9B}31m \u{202E}txet\u{2067}\u{7F}\tcell\nnext"
  private static let shownText = "␛[31mred\u{FFFD}31m \u{FFFD}txet\u{FFFD}␡"

  @Test func answersAtATerminalHaveNoControlCharacters() async throws {
    let (world, caller) = try await World.signedIn()
    try await world.sandbox.say(Self.markedText)
    let asked = try await world.chappie("ask", "Hello", at: [.sees(Self.shownText), .sees("cell"), .sees("next")])
    #expect(asked.status == 0, "\(asked.text)")
    #expect(!asked.text.contains("\u{1B}[31m"))
    let chat = try await world.chat(["Hello": Self.shownText, "/\u{202E}x": "There is no /\u{FFFD}x"])
    #expect(!chat.text.contains("\u{1B}[31m"))
    _ = try await world.chappie("ask", "--continue", "Hello")
    try await world.chappie("context", "--messages", at: [.sees(Self.shownText)]).expect(0)
    // A file or a pipe receives them unchanged.
    #expect(try await world.chappie("ask", "Hello").text == Self.markedText + "\n")
    #expect(try await world.chappie("chat", input: "Hello\n").text == Self.markedText + "\n")

    // JSON has escapes, and means the same.
    let thread = try await world.beginThread("a\u{202E}b")
    let answer = try await world.chappie("ask", "--json", "Hello")
    #expect(Self.harm(in: answer.text).isEmpty, "\(answer.text)")
    #expect(answer.text.contains(#"red\u009b31m \u202etxet\u2067\u007f\tcell\nnext"#), "\(answer.text)")
    struct Answered: Decodable {
      let text: String
    }
    #expect(try Answered(snakeCase: answer.text).text == Self.markedText)
    #expect(try await world.chappie("threads", "--json").text.contains(#""title":"a\u202eb""#))

    let exported = try await world.chappie("threads", "export", "--format", "json", thread)
    #expect(Self.harm(in: exported.text).isEmpty, "\(exported.text)")
    let json: String = try await caller.call("Threads.Get", thread).member(0, "json")
    #expect(json + "\n" != exported.text)
    let objects = try [json, exported.text].map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? NSDictionary)
    }
    #expect(objects[0] == objects[1])

    // Errors escape arguments.
    for line in [
      ["help", "\u{1B}[31m"], ["threads", "\u{1B}[31m"], ["threads", "--\u{1B}[31m"],
      ["threads", "list", "\u{1B}[31m"],
      ["threads", "export", "--format", "\u{1B}[31m", "last"], ["threads", "--limit", "\u{1B}[31m"],
      ["threads", "show", "\u{1B}[31m"], ["threads", "--account", "\u{1B}[31m"],
      ["threads", "export", "last", "-o", "nowhere/\u{1B}[31m"],
    ] {
      let output = try await world.chappie(line)
      #expect(output.status != 0)
      #expect(output.text.hasPrefix("chappie: "), "\(output.text)")
      #expect(output.text.contains("␛[31m"), "\(output.text)")
      #expect(Self.harm(in: output.text).isEmpty, "\(output.text)")
    }
  }
}
