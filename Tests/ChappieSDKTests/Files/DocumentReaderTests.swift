// SPDX-License-Identifier: Apache-2.0
@testable import ChappieSDK

// One at a time: more documents at once than a few are refused.
@Suite(.serialized, .enabled("Poppler is installed, and a sandbox can be made here") { await canRead() }) @GLibActor
struct DocumentReaderTests {
  /// What is not read in time is left out, and a busy machine takes its time.
  private let limits = DocumentReader.Limits(time: .seconds(600))

  private func read(_ document: TestPDF) async throws -> DocumentContent {
    try await DocumentReader.read(document.bytes, name: "report.pdf", limits)
  }

  /// The sentence with which a document is refused.
  private func refusal(_ bytes: [UInt8]) async throws -> String? {
    do {
      _ = try await DocumentReader.read(bytes, name: "report.pdf", limits)
      return nil
    } catch let error as ChappieClientError {
      return error.description
    }
  }

  // MARK: What is read

  @Test func aDocumentBecomesTextAndPictures() async throws {
    let content = try await read(
      TestPDF(contents: [TestPDF.lines(["A first line", "and a second one"]), "", TestPDF.lines(["The end"])]))
    #expect(
      content.text == """
        Page 1

        A first line
        and a second one

        Page 2 has no text.

        Page 3

        The end

        Pictures of pages: 1 to 3.
        """)
    #expect(content.pictures.count == 3)
    try await eventually("no obstacle") { try await DocumentSandbox.obstacle() == nil }
    #expect(content.pictures.allSatisfy { $0.url.hasPrefix("data:image/jpeg;base64,/9j/") })
    let scan = try await read(.imageOnly)
    #expect(scan.text == "Page 1 has no text.\n\nPictures of pages: 1." && scan.pictures.count == 1)
  }

  // MARK: Obstacles

  /// A program without its libraries is no damaged document.
  @Test(
    arguments: [
      (
        "/usr/bin/pdfinfo: error while loading shared libraries: libpoppler.so.126: not found",
        .broken(package: "poppler-utils")
      ),
      ("/usr/bin/bwrap: symbol lookup error: /lib/libc.so.6: no symbol", .broken(package: "bubblewrap")),
      ("bwrap: No permissions to create new namespace", .noSandbox),
      ("Syntax Error: /usr/bin/pdfinfo: error while loading shared libraries: none", nil),
    ] as [(String, DocumentSandbox.Obstacle?)])
  func theProgramsTellWhatIsInTheWay(_ errors: String, _ obstacle: DocumentSandbox.Obstacle?) async throws {
    let outcome = try await FileFilter.run(
      ["/bin/sh", "-c", "printf '%s\\n' \"$1\" >&2; exit 127", "sh", errors], input: Descriptor.sealed([]),
      outputLimit: 10, deadline: .seconds(60))
    #expect(DocumentSandbox.obstacle(in: outcome) == obstacle)
  }

  // MARK: Bounds

  /// What an earlier document of the turn has taken is not there for the next one.
  @Test func aTurnHasLimits() async throws {
    let document = TestPDF(contents: [TestPDF.lines(["A first line"])]).bytes
    let content = try await DocumentReader.read(document, name: "report.pdf", .init(pictures: 100, time: .seconds(600)))
    #expect(content.pictures.isEmpty && content.text.contains("A first line"))
    await #expect(
      throws: ChappieClientError.invalidArgument("The document report.pdf was not read in time: send fewer pages.")
    ) {
      try await DocumentReader.read(document, name: "report.pdf", .init(time: .zero))
    }
  }

  @Test func tenThousandPagesAreReadInPart() async throws {
    let content = try await read(TestPDF(contents: (1...10_000).map { TestPDF.lines(["This is sheet \($0)."]) }))
    #expect(content.text.contains("Page 200\n\nThis is sheet 200.\n\nThe text of pages 201 to 10000 is left out."))
    #expect(content.text.hasSuffix("Pictures of pages: 1 to 10."))
    #expect(content.pictures.count == DocumentReader.picturePages)
  }

  @Test func aLongTextEndsWithAWholePage() async throws {
    let lines = [String](repeating: String(repeating: "words ", count: 300), count: 8)
    let pages = (1...100).map { TestPDF.lines(["Sheet \($0)"] + lines + ["End of \($0)"]) }
    let content = try await read(TestPDF(contents: pages, size: (14_400, 14_400)))
    let last = try #require((1...100).last { content.text.contains("Page \($0)\n") })
    #expect((50..<100).contains(last))
    #expect(content.text.contains("End of \(last)\n\nThe text of pages \(last + 1) to 100 is left out."))
    #expect(content.text.utf8.count <= DocumentReader.textLimit + 4096)
  }

  @Test(arguments: [(14_400, 14_400), (1, 14_400)])
  func aPageOfAnySizeHasASmallPicture(_ size: (Int, Int)) async throws {
    let content = try await read(TestPDF(contents: [TestPDF.lines(["words"])], size: size))
    let picture = try #require(content.pictures.first)
    #expect(picture.url.utf8.count < 100_000)
  }

  // MARK: Bad input

  @Test func badInputIsOneSentence() async throws {
    let damaged = "is damaged, or takes more memory or time than is allowed to read."
    let text = TestPDF.text("words").bytes
    let noise = Array("%PDF-1.7\n".utf8) + (0..<100_000).map { UInt8(truncatingIfNeeded: $0 * $0 >> 3) }
    let rows: [(bytes: [UInt8], sentence: String)] = [
      (TestPDF.encrypted.bytes, "is encrypted: save a copy that needs no password."),
      (TestPDF(contents: [""], size: (1, 1)).bytes, "has no text, and none of its pages can be shown."),
      (TestPDF(contents: []).bytes, "has no page."), (Array(text.prefix(200)), damaged),
      (Array("%PDF-1.7\n1 0 obj\n1 0 R\nendobj\ntrailer<</Root 1 0 R>>\n".utf8), damaged),
      (noise, damaged),
    ]
    for row in rows { #expect(try await refusal(row.bytes) == "The document report.pdf \(row.sentence)") }
    #expect(try await refusal([0x50, 0x4B, 3, 4] + text) == nil, "Poppler finds the mark behind other bytes")
  }

  /// Each program ends at its limit, and the caller learns a sentence or gets the rest of the document.
  @Test(arguments: ["memory", "time"])
  func aBombEndsItsProgram(_ kind: String) async throws {
    let bomb = kind == "memory" ? TestPDF.memoryBomb : .timeBomb
    // Either a sentence, or nil: the rest of the document was read.
    _ = try await refusal(bomb.bytes)
    try await eventually("the end of all programs") { Self.programs().isEmpty }
  }

  // MARK: What is left

  @Test func cancellingEndsThePrograms() async throws {
    let bomb = TestPDF.timeBomb.bytes
    let reading = Task.onGLib { try await DocumentReader.read(bomb, name: "report.pdf", limits) }
    try await eventually("a program") { !Self.programs().isEmpty }
    reading.cancel()
    await #expect(throws: CancellationError.self) { try await reading.value }
    try await eventually("the end of all programs") { Self.programs().isEmpty }
  }

  /// The command lines of the programs that read documents.
  private static func programs() -> [String] {
    ((try? Files.names(in: "/proc")) ?? []).compactMap { name in
      let line = (try? Files.read("/proc/\(name)/cmdline", limit: 1 << 16)) ?? []
      let command = String(decoding: line, as: UTF8.self)
      return command.contains(DocumentSandbox.input) ? command : nil
    }
  }

  // MARK: The sandbox

  /// A program in the sandbox looks around.
  @Test func theSandboxHasNoNetworkNoBusAndNoHome() async throws {
    let probe = """
      import os, socket
      def can(action):
          try:
              action()
              return True
          except (OSError, MemoryError):
              return False
      print(sorted(os.listdir("/")), sorted(os.listdir("/etc")))
      print(os.getuid(), sorted(os.environ), [name for _, name in socket.if_nameindex()])
      print([can(action) for action in (
          lambda: open("/f", "w"), lambda: open("/usr/f", "w"), lambda: os.write(0, b"x"),
          lambda: socket.create_connection(("127.0.0.1", 9)), lambda: bytearray(1 << 30),
          lambda: os.setuid(0), lambda: os.chroot("/usr"))])
      print(os.read(0, 5))
      """
    let document = try Descriptor.sealed(Array("%PDF-".utf8))
    let outcome = try await DocumentSandbox.run(
      ["python3", "-I", "-c", probe], on: document, outputLimit: 4096, deadline: .seconds(30))
    let lines = String(decoding: outcome.output, as: UTF8.self).split(separator: "\n")
    try #require(lines.count == 4)
    #expect(lines[0].hasPrefix("['etc', 'lib', 'lib64', 'usr'"))
    for name in ["home", "root", "run", "tmp", "proc", "dev", "passwd"] { #expect(!lines[0].contains("'\(name)'")) }
    #expect(lines[1] == "65534 ['LC_ALL', 'PWD'] ['lo']")
    #expect(lines[2] == "[False, False, False, False, False, False, False]")
    #expect(lines[3] == "b'%PDF-'")
  }

  @Test func theServicesUnitUsesTheUsersSystemd() {
    let child = DocumentSandbox.command(["pdfinfo", "fd://0"], unit: nil, deadline: .seconds(3))
    let unit = DocumentSandbox.command(["pdfinfo", "fd://0"], unit: "u.service", deadline: .seconds(3))
    #expect(child.prefix(2) == ["/usr/bin/setsid", "/usr/bin/bwrap"])
    #expect(unit.first == "/usr/bin/systemd-run")
    #expect(unit.suffix(child.count - 1) == child.dropFirst())
    #expect(unit.contains("--unit=u.service"))
    #expect(unit.contains("--property=RuntimeMaxSec=3000ms"))
  }
}

struct DocumentPagesTests {
  @Test(arguments: [
    ("Title: x\nPages:           12\nEncrypted:       no\n", 12), ("Pages: 1", 1),
    // The document's title comes before the true number.
    ("Title: y\nPages: 7\nAuthor: z\nPages:           2\n", 2),
    ("", nil), ("Pages:", nil), ("Pages: 0\n", nil), ("Pages: -1\n", nil), ("Pages: 1000001\n", nil),
    ("Pages: 99999999999999999999\n", nil), ("Pages: 1 2\n", nil), (" Pages: 1\n", nil),
  ])
  func theNumberOfPages(_ info: String, _ count: Int?) {
    #expect(DocumentPages.count(Array(info.utf8)) == count)
  }

  @Test func aPageEndsWithAFormFeed() {
    #expect(DocumentPages.pages(Array("\none\n two \n\n\u{C}\u{C}half".utf8)) == ["one\n two", ""])
    #expect(DocumentPages.pages([]) == [])
    // Control characters and wrong bytes are no text.
    #expect(DocumentPages.pages([0x61, 0x00, 0x1B, 0x7F, 0x09, 0x62, 0xFF, 0x0C]) == ["a\tb\u{FFFD}"])
    #expect(DocumentPages.pages(Array("half".utf8)) == [])
  }

  @Test func theTextNamesThePages() {
    #expect(
      DocumentPages.text(["one", ""], pictures: [1, 2, 4], pageCount: 4) == """
        Page 1

        one

        Page 2 has no text.

        The text of pages 3 to 4 is left out.

        Pictures of pages: 1 to 2, 4.
        """)
    #expect(
      DocumentPages.text([], pictures: [], pageCount: 1) == """
        The text of page 1 is left out.

        There is no picture of a page.
        """)
  }
}

@GLibActor
struct DocumentQueueTests {
  private let queue = DocumentQueue()
  private let log = Log()

  @GLibActor
  private final class Log {
    var read: [String] = []
  }

  /// Reads a document for a caller.
  private func read(_ name: String, for caller: String, until end: Wait? = nil) -> Task<Void, any Error> {
    CallerGroup.$current.withValue(caller) {
      Task.onGLib {
        try await queue.inTurn(name: name) {
          log.read.append(name)
          await end?.value()
        }
      }
    }
  }

  @Test func callersTakeTurns() async throws {
    let end = Wait()
    var readings = [read("a1", for: "a", until: end)]
    for name in ["a2", "a3", "a4", "b1", "b2", "c1"] { readings.append(read(name, for: String(name.prefix(1)))) }
    try await eventually("the first document") { log.read == ["a1"] }
    end.finish()
    for reading in readings { try await reading.value }
    #expect(log.read == ["a1", "b1", "c1", "a2", "b2", "a3", "a4"])
  }

  @Test func oneCallerLeavesRoomForOthers() async throws {
    let end = Wait()
    let first = (0..<DocumentQueue.limit).map { read("\($0)", for: "a", until: end) }
    try await eventually("the first document") { log.read == ["0"] }
    await #expect(throws: ChappieClientError.self) { try await read("more", for: "a").value }
    let other = read("other", for: "b")
    end.finish()
    for reading in first + [other] { try await reading.value }
    #expect(log.read == ["0", "other", "1", "2", "3", "4"])
  }

  @Test func manyCallersHaveOneEach() async throws {
    let end = Wait()
    var readings = (0..<DocumentQueue.limitInAll / 2).map { read("\($0)", for: "\($0)", until: end) }
    try await eventually("the first document") { !log.read.isEmpty }
    await #expect(throws: ChappieClientError.self) { try await read("second", for: "1").value }
    readings.append(read("new", for: "new"))
    end.finish()
    for reading in readings { try await reading.value }
    #expect(log.read.count == readings.count)
  }

  @Test func aCancelledReadingStopsWaiting() async throws {
    let end = Wait()
    let first = read("first", for: "a", until: end)
    try await eventually("the first document") { log.read == ["first"] }
    let (second, third) = (read("second", for: "a"), read("third", for: "a"))
    for waiting in [second, read("other", for: "b")] {
      waiting.cancel()
      await #expect(throws: CancellationError.self) { try await waiting.value }
    }
    end.finish()
    try await first.value
    try await third.value
    #expect(log.read == ["first", "third"])
  }
}

/// Whether documents can be read here. Some containers forbid namespaces.
@GLibActor
private func canRead() async -> Bool {
  guard DocumentSandbox.missingPackage == nil else { return false }
  for way in [
    ["bwrap", "--unshare-all", "--unshare-user", "--disable-userns", "--ro-bind", "/", "/", "true"],
    ["systemd-run", "--user", "--pipe", "--wait", "--collect", "--quiet", "true"],
  ] {
    let outcome = try? await FileFilter.run(way, input: .sealed([]), outputLimit: 1000, deadline: .seconds(60))
    if outcome?.end == .succeeded { return true }
  }
  return false
}
