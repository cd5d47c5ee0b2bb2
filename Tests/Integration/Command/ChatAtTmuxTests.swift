// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

/// `chappie chat` with real keys in a real terminal.
@Suite(.worlds) @GLibActor
struct ChatAtTmuxTests {
  /// - Returns: what `script` prints.
  private static func run(_ script: String, in world: World) async throws -> String {
    try await world.atTmux(
      #"PS1="shell> " exec bash --norc --noediting"#,
      """
      sees '^shell>'
      keys -l "$0 chat"; keys Enter
      sees '^›'

      """ + script)
  }

  @Test func severalLinesAreAskedAndTheAnswerIsCopied() async throws {
    try await World.signedIn { world, _ in
      let copied = try await Self.run(
        """
        keys -l one; keys M-Enter; keys -l two
        sees '^two'
        $tmux set-buffer "$(printf ' three\\nfour')"
        $tmux paste-buffer -p -d
        sees '^four'
        keys Enter
        sees 'has 1 message'
        keys -l /copy; keys Enter
        succeeds $tmux show-buffer 2>/dev/null
        """, in: world)
      #expect(try await world.sandbox.state().lastInput == ["user: one\ntwo three\nfour"])
      #expect(copied == "You said: “one\ntwo three\nfour” This conversation has 1 message.")
    }
  }

  @Test func tabCompletesCommandsModelsAndFiles() async throws {
    try await World.signedIn { world, _ in
      _ = try await Self.run(
        """
        echo 'The text of a file.' > "$HOME/some notes.txt"
        keys -l /co; keys Tab
        sees '^/compact  /context  /copy'
        keys C-c
        sees '^› *$'
        keys -l /ret; keys Tab
        sees '^› /retry$'
        keys C-c
        sees '/retry^C'
        # The name, then its models.
        keys -l /mod; keys Tab
        sees '^› /model *$'
        # The models come in the meantime.
        completes() { shows '^› /model gpt-6-luna$' || { keys C-u; keys -l '/model gpt-6-l'; keys Tab; false; }; }
        succeeds completes
        keys Enter
        sees '^gpt-6-luna answers'
        keys -l "/file $HOME/some"; keys Tab
        sees 'some.* notes.txt'
        keys Enter; keys -l 'What is it?'; keys Enter
        sees 'has 1 message'
        """, in: world)
      let state = try await world.sandbox.state()
      #expect(state.lastResponsesRequest.body?.model == "gpt-6-luna")
      #expect(state.lastInput.first?.contains("The text of a file.") == true, "\(state.lastInput)")
    }
  }

  @Test func aLineIsDrawnAgainAfterAStopAndInAnotherWidth() async throws {
    try await World.signedIn { world, _ in
      let line = (10...40).map { "word\($0)" }.joined(separator: " ")
      let prompts = try await Self.run(
        """
        keys -l half
        sees '^› half'
        # The shell gets its terminal back.
        keys C-z
        sees 'Stopped'
        keys -l 'stty -a | grep -c " icanon.* echo " | sed s/^/cooked-/'; keys Enter
        sees '^cooked-1'
        keys -l fg; keys Enter
        sees '› half$'
        keys -l '!'; keys Enter
        sees '“half!” This conversation has 1 message'
        keys C-l
        keys -l '\(line)'
        sees 'word40'
        drawn() { $tmux capture-pane -p | tr -d '\\n' | grep -q "at$columns"; }
        for columns in 40 120 60; do
          $tmux resize-window -x $columns -y 24
          keys -l " at$columns"
          succeeds drawn
        done
        $tmux capture-pane -p | grep -c '^›'
        keys Enter
        sees '3 messages'
        """, in: world)
      #expect(prompts == "1\n")
      #expect(try await world.sandbox.state().lastInput == ["user: \(line) at40 at120 at60"])
    }
  }
}
