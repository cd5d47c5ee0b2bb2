// SPDX-License-Identifier: Apache-2.0
@testable import GLibBridge

struct CommandLineTests {
  private struct Options {
    let parser = CommandLineParser(parameters: "VERB", summary: "Does things.", details: "More is said here.")
    let verbose: CommandLineFlag
    let name: CommandLineOption<String>
    let port: CommandLineOption<Int>
    let color: CommandLineOption<Color>

    init() {
      verbose = parser.flag("verbose", short: "v", "Say more")
      name = parser.string("name", short: "n", placeholder: "NAME", "The name")
      port = parser.integer("port", in: 1...65_535, placeholder: "PORT", "The port")
      color = parser.option("color", placeholder: "COLOR", "The color") { text in
        guard let color = Color(rawValue: text) else { throw CommandLineError("no color “\(text)”") }
        return color
      }
    }

    func read(_ arguments: String...) throws -> CommandLineArguments {
      guard case .arguments(let result) = try parser.parse(["program"] + arguments) else {
        throw CommandLineError("this asks for help")
      }
      return result
    }
  }

  private enum Color: String {
    case red
  }

  private let options = Options()

  @Test func parsesAllFormsOfOptions() throws {
    let long = try options.read("--verbose", "--name", "one", "--port=80", "--color", "red")
    #expect(long[options.verbose])
    #expect(long[options.name] == "one")
    #expect(long[options.port] == 80)
    #expect(long[options.color] == .red)
    let short = try options.read("-vn", "two")
    #expect(short[options.verbose])
    #expect(short[options.name] == "two")
    let repeated = try options.read("--name", "one", "-n", "two")
    #expect(repeated.all(options.name) == ["one", "two"])
    #expect(repeated[options.name] == "two")
    let nothing = try options.read()
    #expect(!nothing[options.verbose] && nothing.remaining.isEmpty)
    #expect(nothing[options.name] == nil && nothing.all(options.name).isEmpty)
  }

  @Test func aCommandHasOptionsOfItsOwn() throws {
    options.parser.acceptCommand(placeholder: "NAME -- COMMAND…")
    let result = try options.read("-v", "one", "--", "ls", "--name", "--", "-l")
    #expect(result[options.verbose])
    #expect(result[options.name] == nil)
    #expect(result.remaining == ["one"])
    #expect(result.command == ["ls", "--name", "--", "-l"])
    #expect(throws: CommandLineError("Unknown option -l. The options of a command come after --.")) {
      try options.read("one", "ls", "-l")
    }
  }

  @Test(arguments: ["日本語", "-dash", "a=b", "two words"])
  func acceptsAnyTextAsAValue(_ text: String) throws {
    #expect(try options.read("--name=\(text)")[options.name] == text)
  }

  @Test func refusesAnEmptyValue() {
    #expect(throws: CommandLineError("--name: the value is empty")) { try options.read("--name", "") }
  }

  // MARK: Positional arguments

  @Test func collectsPositionalArgumentsInOrder() throws {
    options.parser.acceptRemaining(placeholder: "TEXT…")
    #expect(try options.read("b", "--verbose", "a", "ü").remaining == ["b", "a", "ü"])
    let separated = try options.read("--", "--verbose", "-x")
    #expect(separated.remaining == ["--verbose", "-x"])
    #expect(!separated[options.verbose])
  }

  @Test func throwsForSurplusArgumentsAndTheErrorOfAnOptionsReader() {
    let error = #expect(throws: CommandLineError.self) { try options.read("surplus") }
    #expect(error?.description.contains("surplus") == true)
    let color = #expect(throws: CommandLineError.self) { try options.read("--color", "blue") }
    #expect(color?.description == "--color: no color “blue”")
  }

  // MARK: Mistakes

  @Test(arguments: ["--nope", "-x", "-vx", "--name"])
  func throwsForUnknownOptions(_ argument: String) {
    #expect(throws: CommandLineError.self) { try options.read(argument) }
  }

  @Test(arguments: ["", "many", "80x", "8.5", "0", "65536", "-1", "99999999999999999999"])
  func throwsForOtherNumbersAndNamesTheOption(_ text: String) {
    let error = #expect(throws: CommandLineError.self) { try options.read("--port=\(text)") }
    #expect(error?.description.hasPrefix("--port: ") == true)
  }

  // MARK: Help

  @Test(arguments: ["--help", "-h"])
  func helpListsAllOptions(_ argument: String) throws {
    options.parser.acceptRemaining(placeholder: "TEXT…")
    guard case .help(let text) = try options.parser.parse(["program", argument]) else {
      Issue.record("\(argument) did not ask for help")
      return
    }
    let parts = [
      "VERB", "Does things.", "More is said here.", "-v, --verbose", "Say more", "--port=PORT", "The color", "TEXT…",
      "-h, --help",
    ]
    for part in parts { #expect(text.contains(part), "\(part)") }
  }
}

/// What a mistyped word probably means.
struct SpellingTests {
  @Test(arguments: [("asc", "ask"), ("sing-in", "sign-in"), ("thread", "threads"), ("--modle", "--model")])
  func aNearWordIsSuggested(typed: String, meant: String) {
    let words = ["ask", "sign-in", "sign-out", "status", "threads", "--model", "--file"]
    #expect(Spelling.suggestion(for: typed, among: words) == " Did you mean “\(meant)”?")
  }

  @Test(arguments: ["", "x", "nonsense", "What is a bus?", String(repeating: "ask", count: 1000)])
  func aFarWordIsNot(typed: String) {
    #expect(Spelling.suggestion(for: typed, among: ["ask", "sign-in", "status"]) == "")
  }

  @Test func anUnknownOptionIsNamedWithItsNeighbour() throws {
    let parser = CommandLineParser(summary: "")
    _ = parser.string("model", placeholder: "MODEL", "")
    #expect(throws: CommandLineError("Unknown option --modle. Did you mean “--model”?")) {
      try parser.parse(["a", "--modle", "x"])
    }
  }
}
