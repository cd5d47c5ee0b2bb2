// SPDX-License-Identifier: Apache-2.0

/// Compares the manuals and completions with the help texts of the commands.
@Suite(.worlds) @GLibActor
struct ManualTests {
  /// The long options in a help text, without `--help`.
  private func options(_ help: String) -> [String] {
    help.split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ").prefix(2)
      guard line.hasPrefix("  -"), let option = words.first(where: { $0.hasPrefix("--") }) else { return nil }
      return String(option.dropFirst(2).prefix { $0 != "=" })
    }.filter { $0 != "help" }
  }

  /// The words after `title` in a help text.
  private func listed(_ title: String, _ help: String) -> [String] {
    guard let list = help.components(separatedBy: "\(title):\n").dropFirst().first else { return [] }
    return list.split(separator: "\n", omittingEmptySubsequences: false).prefix { !$0.isEmpty }
      .compactMap { $0.split(separator: " ").first.map(String.init) }
  }

  @Test func everyOptionAndExitStatusIsDocumented() async throws {
    let world = try await World.begin(World.Plan(keyring: .none, service: .none))
    let manual = try SourceTree.text(of: "data/man/chappie.1").split(separator: "\n")
    let completions = try ["chappie", "_chappie", "chappie.fish"].map {
      try SourceTree.text(of: "data/completions/\($0)")
    }
    var verbs = listed("Commands", try await world.chappie("--help").text).map { [$0] }
    for verb in verbs {
      let help = try await world.chappie(verb + ["--help"]).text
      verbs += listed("Commands", help).map { verb + [$0] }
    }
    try #require(verbs.count == 43, "\(verbs)")
    var seen: Set<String> = []
    for verb in verbs {
      let entry = manual.contains { line in
        line.hasPrefix(".It Cm \(verb[0])") && line.split(separator: " ").contains(Substring(verb[verb.count - 1]))
      }
      #expect(entry, "\(verb)")
      let options = options(try await world.chappie(verb + ["--help"]).text)
      seen.formUnion(options)
      for option in options {
        #expect(
          manual.contains { $0.hasPrefix(".It Fl ") && $0.split(separator: " ").contains("-\(option)") },
          "\(verb): --\(option)")
      }
    }
    try #require(seen.count > 20)
    for option in seen {
      #expect(completions[0].contains("--\(option)"))
      #expect(completions[1].contains("--\(option)"))
      #expect(completions[2].contains("-l \(option) "), "\(option)")
    }

    // The exit statuses of the code's own table.
    let help = try await world.chappie("--help").text
    let statuses = try #require(help.components(separatedBy: "Exit statuses:\n").last)
      .split(separator: "\n", omittingEmptySubsequences: false).prefix { !$0.isEmpty }
      .map { $0.split(separator: " ", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) } }
    let page = try SourceTree.text(of: "data/man/chappie.1")
    let section = try #require(page.components(separatedBy: ".Sh EXIT STATUS\n").last)
      .components(separatedBy: "\n.El\n")[0]
    let entries = section.components(separatedBy: ".It ").dropFirst()
      .map { Array($0.split(separator: "\n").prefix(2).map(String.init)) }
    #expect(statuses.count == 17)
    #expect(statuses == entries)
  }

  @Test func everyOptionOfTheStandInIsDocumented() async throws {
    let world = try await World.begin(World.Plan(keyring: .none, service: .none))
    let help = try await world.run(Binaries.sandbox, "--help").text
    #expect(help.contains("chappie-sandbox(1)"))
    let documented = try SourceTree.text(of: "data/man/chappie-sandbox.1").split(separator: "\n")
      .filter { $0.hasPrefix(".It Fl ") }
      .compactMap { $0.split(separator: " ").first { $0.hasPrefix("-") }?.dropFirst() }.map(String.init)
    let options = options(help)
    try #require(options.count > 10)
    #expect(options.sorted() == documented.filter { $0 != "help" }.sorted())
    // The files that the help and the manual refer to are installed.
    #expect(try SourceTree.text(of: "Makefile").contains("README.md:$(DOCDIR)/chappie-sandbox.md"))
  }
}
