// SPDX-License-Identifier: Apache-2.0
import Platform

/// Files that a caller passes as descriptors.
@Suite(.worlds) @GLibActor
struct PassedFileTests {
  private static let pdf = Array("%PDF-1.7\n".utf8)

  private func file(
    _ name: String, _ content: [UInt8] = pdf, _ flags: Int32 = O_RDONLY, in world: World
  ) throws -> Descriptor {
    let url = world.directories.home.appending(path: name)
    try Data(content).write(to: url)
    return try Self.opened(url.path, flags)
  }

  private static func opened(_ path: String, _ flags: Int32 = O_RDONLY) throws -> Descriptor {
    try #require(Descriptor(owning: open(path, flags | O_CLOEXEC)), "\(path)")
  }

  /// The number of descriptors of the service that are of the tests' documents.
  private func openFiles(_ world: World) throws -> Int {
    let folder = "/proc/\(try #require(world.service.process?.id))/fd"
    return try FileManager.default.contentsOfDirectory(atPath: folder).count {
      let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")
      return target?.hasSuffix(".pdf") == true
    }
  }

  @Test func theContentIsSentFromItsStart() async throws {
    let (world, caller) = try await World.signedIn()
    let report = try file("my report.pdf", in: world)
    lseek(report.number, 4, SEEK_SET)
    let notes = try file("notes.txt", Array("Buses".utf8), O_RDWR, in: world)
    let answer = try await caller.send("Look", files: [1, 0], passing: [report, notes])
    #expect(answer.contains("It came with notes.txt and my report.pdf."))
    #expect(lseek(report.number, 0, SEEK_CUR) == 4)
    let options: VariantDictionary = ["files": [DescriptorHandle()]]
    let reply = try await caller.call("Stream", "Look", options, passing: [report])
    let turn: String = try reply.member(0, "turn")
    let end = try await caller.signal("Completed") { try $0.arguments.member(0, "turn") == turn }
    #expect(try end.arguments.member(1, "text", as: String.self).contains("my report.pdf"))
    try await caller.call("OpenTurn", options, passing: [report])

    let sixteen = Array(repeating: report, count: 16)
    #expect(try await caller.send("Look", passing: sixteen).contains("report.pdf"))
    try await expectRefusal("LimitExceeded") {
      try await caller.send("Look", files: [0], passing: sixteen + [report])
    }
    for method in ["GetTurn", "Cancel", "Nothing"] {
      let refused = try await refusal { try await caller.call(method, "turn", passing: [report]) }
      #expect(refused.message == "org.chappie.Client.\(method) takes no file descriptor.")
    }
  }

  /// Each file has a name that tells its kind.
  @Test func namesAreThoseOfThePathsOrMadeUp() async throws {
    let (world, caller) = try await World.signedIn()
    let home = world.directories.home.path
    let deleted = try file("gone.pdf", in: world)
    unlink(home + "/gone.pdf")
    let latin = Array((home + "/caf").utf8) + [0xE9] + Array(".pdf".utf8) + [0]
    let renamed = try file("renamed.pdf", in: world)
    #expect(rename(home + "/renamed.pdf", latin.map { CChar(bitPattern: $0) }) == 0)
    // O_TMPFILE
    let unnamed = try Self.opened(home, 0o20200000 | O_RDWR)
    #expect(write(unnamed.number, Self.pdf, Self.pdf.count) == Self.pdf.count)
    let answer = try await caller.send(
      "Look", passing: [deleted, renamed, unnamed, try .sealed(Array("text".utf8))])
    #expect(answer.contains("It came with gone.pdf and caf\u{FFFD}.pdf and file-3.pdf and chappie."), "\(answer)")
  }

  @Test func anythingElseIsRefused() async throws {
    let (world, caller) = try await World.signedIn()
    let home = world.directories.home.path
    let good = try file("report.pdf", in: world)
    var ends: [Int32] = [-1, -1]
    #expect(pipe(&ends) == 0)
    let pipes = try ends.map { try #require(Descriptor(owning: $0)) }
    #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    let sockets = try ends.map { try #require(Descriptor(owning: $0)) }
    let path = home + "/report.pdf"
    let wrong: [(Descriptor, String)] = [
      (pipes[0], "it is not a regular file"), (sockets[0], "it is not a regular file"),
      (try Self.opened(home), "it is not a regular file"), (try Self.opened("/dev/zero"), "it is not a regular file"),
      // O_PATH
      (try Self.opened(path, 0o10000000), "it is not open for reading"),
      (try Self.opened(path, O_WRONLY), "it is not open for reading"),
      (try Self.opened("/proc/self/mem"), "cannot be used"),
      (try Self.opened("/proc/self/maps"), "is no ordinary file"),
    ]
    for (file, reason) in wrong {
      let refused = try await refusal { try await caller.send("Look", passing: [good, file]) }
      #expect(refused.name == "InvalidArgument", "\(refused)")
      #expect(refused.message.hasPrefix("File 2 of 'files' cannot be used: ") && refused.message.contains(reason))
    }
    for place in [1, -1, Int32.max] {
      try await expectRefusal("InvalidArgument", saying: "descriptor \(place), and the message has 1") {
        try await caller.send("Look", files: [place], passing: [good])
      }
    }
    let large = try file("large.pdf", in: world)
    #expect(truncate(home + "/large.pdf", off_t(20 << 20)) == 0)
    try await expectRefusal("LimitExceeded", saying: "27 MiB", "12 MiB") {
      try await caller.send("Look", passing: [large])
    }
    #expect(try await world.sandbox.state().requests["responses"] == 0)
  }

  /// Whatever happens to a call, its files are closed.
  @Test func filesAreClosed() async throws {
    let (world, caller) = try await World.signedIn()
    let file = try file("report.pdf", in: world)
    _ = try await caller.send("Look", passing: [file])
    let calls = (0..<200).map { number in
      Task.onGLib {
        let options: VariantDictionary = ["files": [DescriptorHandle(index: Int32(number % 5))]]
        return try? await caller.call(
          number.isMultiple(of: 7) ? "GetTurn" : "Send", "Look", options, passing: Array(repeating: file, count: 4))
      }
    }
    for call in calls { _ = await call.value }
    // A caller that leaves right after its call.
    for _ in 0..<10 {
      let leaves = try await Caller(world.directories.busAddress)
      let call = Task.onGLib { try await leaves.send("Look", passing: [file]) }
      try await sleep(for: .milliseconds(1))
      try await leaves.connection.flush()
      call.cancel()
      _ = try? await call.value
    }
    try await eventually("the end of all files") { try openFiles(world) == 0 }
    #expect(try await caller.send("Look", passing: [file]).contains("report.pdf"))
  }

  /// One thread waits for it, and the service goes on.
  @Test(.enabled(if: HangingDisk.isPossible, "there is no FUSE"))
  func aFileSystemThatDoesNotAnswerEndsTheTurnAlone() async throws {
    let (world, caller) = try await World.signedIn()
    let good = try file("report.pdf", in: world)
    let disk = try await HangingDisk(world)
    let slow = try disk.file()
    let calls = (0..<3).map { _ in
      Task.onGLib { try await refusal { try await caller.send("Look", passing: [slow]) } }
    }
    // Closing waits, too.
    for _ in 0..<8 { _ = try await refusal { try await caller.call("GetTurn", "turn", passing: [slow]) } }
    let other = try await world.otherProgram()
    #expect(try await other.send("Look", passing: [good]).contains("report.pdf"))
    for call in calls {
      let refused = try await call.value
      #expect(refused.name == "InvalidArgument")
      #expect(refused.message == "File 1 of 'files' cannot be used: it was not read in time.")
    }
    let tasks = "/proc/\(try #require(world.service.process?.id))/task"
    let names = try FileManager.default.contentsOfDirectory(atPath: tasks).map {
      try String(contentsOfFile: "\(tasks)/\($0)/comm", encoding: .utf8)
    }
    #expect(names.count { $0.hasPrefix("chappie-work") } == 1)
    try await disk.end()
    try await eventually("the end of all files") { try openFiles(world) == 0 }
    #expect(try await caller.send("Look", passing: [good]).contains("report.pdf"))
  }
}
