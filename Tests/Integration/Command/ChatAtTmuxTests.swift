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

  @Test func altEnterAndAPasteMakeSeveralLines() async throws {
    try await World.signedIn { world, _ in
      _ = try await Self.run(
        """
        keys -l one; keys M-Enter; keys -l two
        sees '^two'
        $tmux set-buffer "$(printf ' three\\nfour')"
        $tmux paste-buffer -p
        sees '^four'
        keys Enter
        sees 'has 1 message'
        """, in: world)
      #expect(try await world.sandbox.state().lastInput == ["user: one\ntwo three\nfour"])
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
        keys C-u
        tries=0
        # The models come in the meantime.
        until screen | grep -q '^› /model gpt-6-luna$' || [ $tries -gt 300 ]; do
          keys C-u; keys -l '/model gpt-6-l'; keys Tab
          tries=$((tries + 1)); sleep 0.1
        done
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

  @Test func theTerminalCopiesTheAnswer() async throws {
    try await World.signedIn { world, _ in
      let copied = try await Self.run(
        """
        keys -l one; keys Enter
        sees 'has 1 message'
        keys -l /copy; keys Enter
        tries=0
        until $tmux show-buffer 2> /dev/null || [ $tries -gt 600 ]; do tries=$((tries + 1)); sleep 0.05; done
        """, in: world)
      #expect(copied == "You said: “one” This conversation has 1 message.")
    }
  }

  @Test func aStoppedChatGivesTheTerminalBack() async throws {
    try await World.signedIn { world, _ in
      _ = try await Self.run(
        """
        keys -l half
        sees '^› half'
        keys C-z
        sees 'Stopped'
        keys -l 'stty -a | grep -c " icanon.* echo " | sed s/^/cooked-/'; keys Enter
        sees '^cooked-1'
        keys -l fg; keys Enter
        sees '› half$'
        keys -l '!'; keys Enter
        sees '“half!” This conversation has 1 message'
        keys C-d
        sees '^shell> $' || true
        """, in: world)
      #expect(try await world.sandbox.state().lastInput == ["user: half!"])
    }
  }

  @Test func aLineIsDrawnAgainInAnotherWidth() async throws {
    try await World.signedIn { world, _ in
      let line = (10...40).map { "word\($0)" }.joined(separator: " ")
      let output = try await Self.run(
        """
        keys -l '\(line)'
        sees 'word40'
        for columns in 40 120 60; do
          $tmux resize-window -x $columns -y 24
          keys -l " at$columns"
          tries=0
          until $tmux capture-pane -p | tr -d '\\n' | grep -q "at$columns" || [ $tries -gt 600 ]; do
            tries=$((tries + 1)); sleep 0.05
          done
        done
        $tmux capture-pane -p | grep -c '^›'
        keys Enter
        sees 'has 1 message'
        """, in: world)
      #expect(output == "1\n")
      #expect(try await world.sandbox.state().lastInput == ["user: \(line) at40 at120 at60"])
    }
  }

  @Test func anInterruptedAnswerStaysAndCanBeAskedAgain() async throws {
    try await World.signedIn { world, _ in
      let slow = (1...400).map { "word\($0)" }.joined(separator: " ")
      try await world.sandbox.play(
        #"[{"endpoint":"responses","text":"\#(slow)","delta_delay_ms":50},{"endpoint":"responses","text":"Done."}]"#)
      _ = try await Self.run(
        """
        keys -l one; keys Enter
        sees 'word5 '
        keys C-c
        sees 'ancelled'
        screen | grep -q '^word1 word2' || exit 2
        keys -l /retry; keys Enter
        sees '^Done.'
        """, in: world)
      #expect(try await world.sandbox.state().lastInput == ["user: one"])
    }
  }
}
