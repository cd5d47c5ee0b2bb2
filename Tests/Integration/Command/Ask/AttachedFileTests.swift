// SPDX-License-Identifier: Apache-2.0
import Foundation
import GLibBridge
import Testing

/// `chappie ask --file`: text files that come with a question.
@Suite(.worlds) @GLibActor
struct AttachedFileTests {
  @Test func filesFollowTheQuestionUnderTheirNames() async throws {
    try await World.signedIn { world, _ in
      let output = try await world.shell(
        #"""
        printf 'one\n' >a.txt; printf '\357\273\277two' >'b c.md'; printf 'three' | "$0" ask Compare -f a.txt -f 'b c.md' -f -
        """#)
      #expect(
        output.text == """
          You said: “Compare

          File: a.txt
          ```
          one
          ```

          File: b c.md
          ```
          two
          ```

          File: standard input
          ```
          three
          ```” This conversation has 1 message.

          """)
    }
  }

  @Test func aFenceInAFileDoesNotEndIt() async throws {
    try await World.signedIn { world, _ in
      let output = try await world.shell(#"printf '````\ncode\n````\n' >a.md; "$0" ask -f a.md </dev/null"#)
      #expect(output.text.contains("File: a.md\n`````\n````\ncode\n````\n`````”"))
      #expect(output.status == 0)
    }
  }

  @Test func documentsGoAsFiles() async throws {
    try await World.signedIn { world, _ in
      let output = try await world.shell(
        #"""
        printf '%%PDF-1.7\n' >a.pdf; "$0" ask Read -f a.pdf --json | grep -o 'came with.*a.pdf\|"files_as":"[a-z]*"'
        "$0" ask Read -f - <a.pdf | grep -o 'came with [a-z]*'
        """#)
      #expect(output.text == "came with a.pdf\n\"files_as\":\"inline\"\ncame with document\n")
    }
  }

  @Test func filesGoIntoAThread() async throws {
    try await World.signedIn { world, _ in
      let output = try await world.shell(
        #"echo one >a.txt; "$0" ask --thread new -f a.txt --json Read | grep -c '"thread":".*File: a.txt'"#)
      #expect(output.text == "1\n")
    }
  }

  @Test func aFileThatCannotBeSentIsRefused() async throws {
    let mistakes = [
      ("-f none.txt", "There is no file none.txt."),
      ("-f .", ". is a directory: name a file in it."),
      ("-f pipe", "pipe is no regular file: pipe it in, and give -."),
      ("-f /dev/null", "/dev/null is no regular file: pipe it in, and give -."),
      ("-f binary", "binary is neither UTF-8 text nor a document that a model reads: convert it first."),
      ("-f latin1", "latin1 is neither UTF-8 text nor a document that a model reads: convert it first."),
      ("-f - <binary", "Standard input is neither UTF-8 text nor a document that a model reads: convert it first."),
      ("-f image", "image is an image: give it with --image."),
      ("-f huge", "huge is longer than 7 MiB: send less."),
      ("-f - <huge", "Standard input is longer than 7 MiB: send less."),
      ("-f larger", "larger is longer than 4 MiB: send less."),
      ("-f large -f large", "The question is longer than 4 MiB: send less."),
      ("-f - -", "Standard input can be given once: give - once."),
      ("-f - --image -", "Standard input can be given once: give - once."),
    ]
    try await World.with(World.Plan(service: .none)) { world in
      _ = try await world.shell(
        #"""
        mkfifo pipe; printf 'a\0b' >binary; printf 'caf\351' >latin1; truncate -s 100M huge; printf '\211PNG\r\n\032\n' >image
        head -c 3000000 /dev/zero | tr '\0' a >large; cat large large >larger
        """#)
      try await world.each(mistakes) { words, message in
        let output = try await world.shell(#""$0" ask What \#(words)"#)
        #expect(output.text == "chappie: \(message)\n")
        #expect(output.status == 2)
      }
    }
  }
}
