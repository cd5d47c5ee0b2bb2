// SPDX-License-Identifier: Apache-2.0

/// `chappie shell-integration` in real shells in a real terminal, with `chappie suggest-command` and `explain-last`.
@Suite(.worlds) @GLibActor
struct ShellIntegrationTests {
  private static func answer(_ text: String, _ more: String = "") -> String {
    #"{"endpoint":"responses","text":\#(json(text))\#(more)}"#
  }

  // MARK: The key

  @Test(arguments: Shell.installed)
  func theKeyReplacesTheTextAndRunsNothing(_ shell: Shell) async throws {
    let world = try await World.at(
      shell, answers: [Self.answer(#"touch ran; printf '%s=' a 'b!!'; echo "!$c""#)],
      #"""
      keys -l '# say it; touch evaluated'; keys M-c
      sees '^> touch ran'
      [ ! -e ran ] || exit 2
      # The text comes back, and is asked for once.
      keys M-c; sees '^> # say it; touch evaluated *$'
      keys C-u; keys -l 'say it'; keys M-c
      sees '^> You said'
      """#)
    let request = try #require(try await world.sandbox.state().lastResponsesRequest.body)
    #expect(request.instructions.contains("between <text> and </text>"))
    let input = try await world.sandbox.state().lastInput.joined()
    #expect(input.contains("Write a command for \(shell) on "))
    #expect(input.contains("<text>\nsay it\n</text>"))
    #expect(!FileManager.default.fileExists(atPath: world.directories.home.appending(path: "evaluated").path))
  }

  @Test(arguments: Shell.installed)
  func enterRunsWhatIsShown(_ shell: Shell) async throws {
    // fish has no such expansion.
    let third = shell == .fish ? "third!!$" : "thirdecho "
    try await World.at(
      shell, answers: [Self.answer(#"echo "1!!=" '!1'"# + "\necho second=")], before: shell.keyLine,
      #"""
      # Another key can be chosen.
      keys C-g
      sees '^chappie: There is no text'
      keys -l 'echo first='; keys Enter
      sees '^first=$'
      keys -l 'say it'; keys C-g
      sees 'echo second=$'
      keys Enter
      sees '^second=$'
      screen | grep -q '^1!!= !1$' || exit 2
      # Afterwards the shell is as it was.
      keys -l 'echo third!!'; keys Enter
      sees '^\#(third)'
      """#)
  }

  @Test(arguments: Shell.installed)
  func aHostileAnswerLeavesTheText(_ shell: Shell) async throws {
    let answers = [
      "echo \u{1B}[201~\rtouch ran\r", "echo a\u{1B}]0;title\u{7}", "echo a\u{3}", "rm \u{202E}txt", "echo a\u{A0}b",
      " \n",
    ]
    let steps = answers.indices.map { number in
      """
      keys -l 'echo kept\(number)='; keys M-c
      sees 'kept\(number)='
      keys Enter
      sees '^kept\(number)=$'
      [ ! -e ran ] || exit 2
      """
    }
    try await World.at(
      shell,
      // Waiting is shown for the first one alone.
      answers: answers.map { Self.answer($0, $0 == answers[0] ? #","delay_ms":1000"# : "") } + [
        #"{"endpoint":"responses","status":400,"body":{"detail":"No."}}"#, Self.answer("ls", #","delay_ms":60000"#),
      ],
      steps.joined(separator: "\n") + """

        screen | grep -q '^chappie: The answer has hidden' || exit 3
        screen | grep -q '^chappie: The answer has no command' || exit 4
        ! shows 'Waiting' || exit 5
        # So do a failure and Ctrl-C.
        keys -l 'echo failed='; keys M-c
        sees '^chappie: .*No\\.'
        keys Enter
        sees '^failed=$'
        keys -l 'echo left='; keys M-c
        sees 'Waiting for the answer'
        keys C-c
        sees '^chappie: Cancelled'
        keys Enter
        sees '^left=$'
        """)
  }

  /// With `set -e`, where an administrator owns the hook of the prompt, and where no function has a hyphen in its name.
  @Test func bashMayBeStrictOrPOSIX() async throws {
    try await World.at(
      .bash,
      answers: [#"{"endpoint":"responses","status":400,"body":{"detail":"No."}}"#]
        + Array(repeating: Self.answer("echo done="), count: 2),
      #"""
      keys -l 'exec bash --rcfile strict -i'; keys Enter
      sees '^strict>'
      keys -l '! true'; keys Enter
      keys -l 'echo kept='; keys M-c
      sees '^chappie: '
      keys Enter
      sees '^kept=$'
      keys -l "exec bash --rcfile readonly -i"; keys Enter
      sees '^readonly>'
      keys -l 'say it'; keys M-c
      sees '^readonly> echo done='
      keys C-u; keys -l 'exec bash --rcfile posix -i'; keys Enter
      sees '^posix>'
      keys -l 'say it'; keys M-c
      sees '^posix> echo done='
      keys Enter
      sees '^done=$'
      keys -l 'sh -c "exit 7"'; keys Enter
      keys -l explain-last; keys Enter
      sees 'Send this'
      screen | grep -q 'exit status 7' || exit 2
      keys n Enter
      sees 'Nothing was sent'
      """#,
      starts: [
        "strict": #"PS1="strict> "; set -e; eval "$(chappie shell-integration bash)""#,
        "readonly": #"PS1="readonly> "; readonly PROMPT_COMMAND; eval "$(chappie shell-integration bash)""#,
        "posix": #"PS1="posix> "; set -o posix; eval "$(chappie shell-integration bash)""#,
      ])
  }

  // MARK: The last command

  @Test(arguments: Shell.installed)
  func theLastFailedCommandIsExplained(_ shell: Shell) async throws {
    let world = try await World.at(
      shell,
      """
      keys -l 'explain-last'; keys Enter
      sees 'No command has failed in this shell'
      keys -l 'echo SECRET=; sh -c "exit 7"'; keys Enter
      sees '^SECRET=$'
      keys -l 'echo fine='; keys Enter
      sees '^fine=$'
      keys -l 'env >environment'; keys Enter
      keys -l explain-last; keys Enter
      sees 'Send this'
      screen | grep -q 'exit status 7' || exit 2
      keys n Enter
      sees 'Nothing was sent'
      keys -l 'explain-last --yes'; keys Enter
      sees 'You said'
      """)
    let input = try await world.sandbox.state().lastInput.joined()
    #expect(input.contains("The command failed with exit status 7, in \(shell) on "))
    #expect(input.contains("<command>\necho SECRET=; sh -c \"exit 7\"\n</command>"), "\(input)")
    let environment = try String(
      contentsOf: world.directories.home.appending(path: "environment"), encoding: .utf8)
    #expect(environment.contains("PATH="))
    #expect(!environment.contains("SECRET"))
    #expect(!input.contains(world.directories.home.path))
  }

  /// A space in front keeps a command out of the history; the one before it must not take its place.
  @Test(arguments: Shell.installed)
  func aCommandOutsideOfTheHistoryIsNotKept(_ shell: Shell) async throws {
    let world = try await World.at(
      shell,
      """
      keys -l 'sh -c "exit 8"'; keys Enter
      keys -l ' sh -c "exit 9"'; keys Enter
      keys -l 'explain-last'; keys Enter
      sees 'The last failed command is not known'
      keys -l 'sh -c "exit 3"'; keys Enter
      keys -l 'sh -c "exit 3"'; keys Enter
      # Output that is piped in belongs to it.
      keys -l 'echo the output | explain-last'; keys Enter
      sees 'Send this'
      keys y Enter
      sees 'You said'
      """)
    let input = try await world.sandbox.state().lastInput.joined()
    #expect(input.contains("<output>\nthe output\n"), "\(input)")
    #expect(input.contains("exit status 3"), "\(input)")
    #expect(input.contains("<command>\nsh -c \"exit 3\"\n</command>"), "\(input)")
  }

  // MARK: The commands

  @Test func aCommandIsWhatAPersonSees() async throws {
    let answers: [(String, String, Int32)] = [
      ("ls -la\n", "ls -la\n", 0), ("`ls -la`", "ls -la\n", 0),
      ("Try:\n```sh\r\necho a\r\necho b\n```\nDone.", "echo a\necho b\n", 0),
      ("echo `date` `id`", "echo `date` `id`\n", 0), ("awk -F'\t' 1", "awk -F'\t' 1\n", 0),
      (" \n ", "chappie: The answer has no command.\n", 13),
      ("a\u{1B}[31mb", "chappie: The answer has hidden characters, so it is no command.\n", 13),
      ("a\u{2066}b", "chappie: The answer has hidden characters, so it is no command.\n", 13),
    ]
    let world = try await World.at(.bash, "")
    try await world.each(answers) { text, printed, status in
      try await world.sandbox.say(text)
      let output = try await world.shell(
        #"echo text | "$0" suggest-command --shell bash 2>errors; s=$?; tail -n 1 errors; exit $s"#)
      #expect(output.text == printed)
      #expect(output.status == status)
    }
  }
}
