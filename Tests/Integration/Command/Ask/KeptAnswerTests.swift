// SPDX-License-Identifier: Apache-2.0
import Foundation
import GLibBridge
import Testing

/// `chappie ask --output`: a file that keeps the answer.
@Suite(.worlds) @GLibActor
struct KeptAnswerTests {
  @Test(arguments: ["", "--thread new", "--continue"])
  func theAnswerIsShownAndKept(_ place: String) async throws {
    try await World.signedIn { world, _ in
      let output = try await world.shell(
        #"echo old >answer; "$0" ask \#(place) -o answer Hello; stat -c %a answer; cat answer; ls -A | grep -vx answer"#
      )
      let answer = "You said: “Hello” This conversation has 1 message.\n"
      #expect(output.text.hasPrefix("\(answer)600\n\(answer)"), "\(output.text)")
    }
  }

  @Test func theTextIsKeptBesideJSON() async throws {
    try await World.signedIn { world, _ in
      let output = try await world.shell(
        #""$0" ask --json -o answer Hello >json && grep -c '"text"' json && cat answer"#)
      #expect(output.text == "1\nYou said: “Hello” This conversation has 1 message.\n")
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

  @Test func aFailedAnswerLeavesTheFileAlone() async throws {
    try await World.with { world in
      let output = try await world.shell(#"echo old >answer; "$0" ask -o answer Hello; echo $?; cat answer"#)
      #expect(output.text.hasSuffix("3\nold\n"))
    }
  }

  @Test(arguments: [
    ("none/answer", "none/answer cannot be written: its directory does not exist, make it first."),
    (".", ". is a directory: name a file in it."),
  ])
  func nothingIsAskedForAFileThatCannotBe(_ file: String, _ message: String) async throws {
    try await World.signedIn { world, _ in
      let output = try await world.chappie("ask", "-o", file, "Hello")
      #expect(output.text == "chappie: \(message)\n")
      #expect(output.status == 1)
    }
  }

  @Test func aFullDiskIsAFailureAfterTheAnswer() async throws {
    try await World.signedIn { world, _ in
      let output = try await world.chappie("ask", "-o", "/dev/full", "--json", "Hello")
      #expect(output.text.contains("chappie: /dev/full cannot be written: the disk is full."))
      #expect(output.text.contains(#""text":"You said: “Hello” This conversation has 1 message.""#))
      #expect(output.status == 1)
    }
  }
}
