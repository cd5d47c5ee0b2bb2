// SPDX-License-Identifier: Apache-2.0
import Foundation
import GLibBridge
import Testing

/// `chappie ask --file` and `--image`: files that come with a question.
@Suite(.worlds) @GLibActor
struct AttachedFileTests {
  @Test func filesAndImagesComeWithTheQuestion() async throws {
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
      // A fence in a file does not end it.
      try await world.shell(#"printf '````\ncode\n````\n' >a.md; "$0" ask -f a.md </dev/null"#)
        .expect(0, "File: a.md\n`````\n````\ncode\n````\n`````”")
      let thread = try await world.shell(
        #"echo one >a.txt; "$0" ask --thread new -f a.txt --json Read | grep -c '"thread":".*File: a.txt'"#)
      #expect(thread.text == "1\n")
      // Documents go as files.
      let documents = try await world.shell(
        #"""
        printf '%%PDF-1.7\n' >a.pdf; "$0" ask Read -f a.pdf --json | grep -o 'came with.*a.pdf\|"files_as":"[a-z]*"'
        "$0" ask Read -f - <a.pdf | grep -o 'came with [a-z]*'
        """#)
      #expect(documents.text == "came with a.pdf\n\"files_as\":\"inline\"\ncame with document\n")

      // Images come with it too.
      let png = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
      try png.write(to: world.directories.home.appending(path: "a cat.png"))
      // The path is relative to the command's working directory, which is the home here.
      let images = try await world.chappie(
        "ask", "--image", "a cat.png", "--image=https://example.org/cat.png", "What is this?")
      #expect(
        images.text == "You said: “What is this?” It came with 2 images. This conversation has 1 message.\n")
      let address = "data:image/png;base64,\(png.base64EncodedString())"
      #expect(try await world.sandbox.state().lastImages == [address, "https://example.org/cat.png"])
      let missing = try await world.chappie("ask", "--image", "dog.png", "What is this?")
      #expect(missing.status == 1)
      #expect(missing.text.hasPrefix("chappie: The image \(world.directories.home.path)/dog.png cannot be used"))
      // Standard input can be one.
      let piped = try await world.shell(#"cat 'a cat.png' | "$0" ask --image - 'What is this?'"#)
      #expect(piped.text == "You said: “What is this?” It came with 1 image. This conversation has 1 message.\n")
      #expect(try await world.sandbox.state().lastImages == [address])
    }
  }
}
