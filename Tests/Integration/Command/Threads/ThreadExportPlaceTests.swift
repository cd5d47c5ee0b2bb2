// SPDX-License-Identifier: Apache-2.0
import Foundation
import GLibBridge
import Testing

/// The destination of `chappie threads export --output`.
@Suite(.worlds) @GLibActor
struct ThreadExportPlaceTests {
  @Test func aNamedPipeAndStandardOutputAreWrittenTo() async throws {
    try await World.signedIn { world, _ in
      _ = try await world.beginThread(String(repeating: "river ", count: 20_000))
      for force in ["", "--force"] {
        let output = try await world.shell(
          """
          rm -f pipe; mkfifo pipe
          cat pipe >read &
          "$0" threads export last \(force) --output pipe && wait && test -p pipe && "$0" threads export last | cmp - read
          """)
        #expect(output.status == 0, "\(output.text)")
        #expect(output.text == "")
      }
      // Without `--force`: a failure here must not replace the machine's own link.
      let output = try await world.shell(
        """
        echo before >all
        "$0" threads export last --output /dev/stdout >>all
        "$0" threads export last >alone
        { echo before; cat alone; } | cmp - all
        """)
      #expect(output.status == 0, "\(output.text)")
    }
  }

  @Test func aDestinationThatIsNoFileIsRefused() async throws {
    try await World.signedIn { world, _ in
      _ = try await world.beginThread("one")
      let home = world.directories.home
      let socket = try #require(world.directories.busAddress.split(separator: "=").last.map(String.init))
      try FileManager.default.createDirectory(at: home.appending(path: "folder"), withIntermediateDirectories: false)
      try Data("mine".utf8).write(to: home.appending(path: "file"))
      for (place, sentence) in [
        ("folder", "folder is a directory: name a file in it."),
        (socket, "\(socket) is a socket or a device: name a file."),
        ("nowhere/file", "nowhere/file cannot be written: its directory does not exist, make it first."),
        ("file/file", "file/file cannot be written: its directory does not exist, make it first."),
      ] {
        for force in [[], ["--force"]] {
          try await world.chappie(["threads", "export", "last", "--output", place] + force)
            .expect(1, only: "chappie: \(sentence)\n")
        }
      }
      for (place, sentence) in [
        ("file", "file is no directory: --all needs a new or an existing one."),
        ("file/in", "The directory file/in cannot be created: a part of the path is not a directory."),
      ] {
        try await world.chappie("threads", "export", "--all", "--output", place, "--force")
          .expect(1, only: "chappie: \(sentence)\n")
      }
      #expect(try Data(contentsOf: home.appending(path: "file")) == Data("mine".utf8))
      // The bus is still there.
      #expect(try await world.listedThreads().count == 1)

      // The target of a link is replaced.
      let file = home.appending(path: "file")
      let files = FileManager.default
      try files.createSymbolicLink(atPath: home.appending(path: "link").path, withDestinationPath: "file")
      try files.createSymbolicLink(atPath: home.appending(path: "broken").path, withDestinationPath: "nothing")
      let refused = try await world.chappie("threads", "export", "last", "--output", "broken")
      #expect(refused.text == "chappie: broken is a broken link: give --force to replace it.\n")
      #expect(try await world.chappie("threads", "export", "last", "--output", "link").status == 1)
      #expect(try Data(contentsOf: file) == Data("mine".utf8))
      for link in ["link", "broken"] {
        try await world.chappie("threads", "export", "last", "--force", "--output", link).expect(only: "")
      }
      #expect(try files.destinationOfSymbolicLink(atPath: home.appending(path: "link").path) == "file")
      let exported = try Data(contentsOf: file)
      #expect(exported != Data("mine".utf8))
      #expect(try Data(contentsOf: home.appending(path: "broken")) == exported)
      let hidden = try files.contentsOfDirectory(atPath: home.path).filter {
        $0.wholeMatch(of: /\.[0-9a-f-]{32,}/) != nil
      }
      #expect(hidden == [])
    }
  }
}
