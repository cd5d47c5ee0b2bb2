// SPDX-License-Identifier: Apache-2.0
import Foundation
import GLibBridge
import Testing

/// `chappie ask --output`: a file that keeps the answer.
@Suite(.worlds) @GLibActor
struct KeptAnswerTests {
  @Test func theAnswerIsShownAndKept() async throws {
    try await World.signedIn { world, _ in
      let answer = "You said: “Hello” This conversation has 1 message.\n"
      for place in ["--continue", "", "--thread new"] {
        let output = try await world.shell(
          #"echo old >answer; "$0" ask \#(place) -o answer Hello; stat -c %a answer; cat answer"#)
        #expect(output.text == "\(answer)600\n\(answer)", "\(place)")
      }
      // The text is kept beside JSON.
      let json = try await world.shell(
        #""$0" ask --json -o answer Hello >json && grep -c '"text"' json && cat answer"#)
      #expect(json.text == "1\n\(answer)")
      // Nothing is asked for a file that cannot be.
      let count = try await world.sandbox.state().requests["responses"]
      for (file, sentence) in [
        ("none/answer", "none/answer cannot be written: its directory does not exist, make it first."),
        (".", ". is a directory: name a file in it."),
      ] {
        try await world.chappie("ask", "-o", file, "Hello").expect(1, only: "chappie: \(sentence)\n")
      }
      #expect(try await world.sandbox.state().requests["responses"] == count)
      // A failed answer leaves the file alone.
      let failed = try await world.shell(
        #"echo old >answer; "$0" ask --account none -o answer Hello; echo $?; cat answer"#)
      #expect(failed.text.hasSuffix("3\nold\n"))
      // A full disk is a failure after the answer.
      let full = try await world.chappie("ask", "-o", "/dev/full", "--json", "Hello")
      #expect(full.text.contains("chappie: /dev/full cannot be written: the disk is full."))
      #expect(full.text.contains(#""text":"You said: “Hello” This conversation has 1 message.""#))
      #expect(full.status == 1)
    }
  }

  /// The code is printed before the file is opened. A signal in between is the main loop's, so it is sent again.
  @Test func aPipeThatNobodyReadsCanBeLeft() async throws {
    try await World.signedIn { world, _ in
      try await world.sandbox.play(#"[{"endpoint":"responses","text":"```\nls\n```"}]"#)
      let output = try await world.shell(
        #"""
        mkfifo pipe; "$0" ask -x -o pipe Hello >code & until [ -s code ] || ! kill -0 $! 2>none; do sleep 0.1; done
        while kill $! 2>none; do sleep 0.1; done; wait $!; echo $?; cat code
        """#)
      #expect(output.text.hasSuffix("143\nls\n"), "\(output.text)")
    }
  }
}
