// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization

@testable import ChappieSDK

/// Messages with documents, to the stand-in.
struct InputFileTests {
  private static let notes = "Buses go at night: Zürich."
  private struct Summary: Decodable { let text: String }
  private static let refusal = #"[{"endpoint":"responses","refuses_files":true,"times":100}]"#

  private func notes(_ name: String = "notes.txt") throws -> ChappieInputFile {
    try ChappieInputFile(data: Array(Self.notes.utf8), name: name)
  }

  private func ask(_ tools: TestClient, _ text: String, _ files: [ChappieInputFile]) async throws -> ChappieResponse {
    try await tools.client.response(ChappieResponseRequest(messages: [.user(text, files: files)]))
  }

  @Test(arguments: TestClient.policies)
  func theBackendReadsAFile(_ policy: ChappieStreamingTransportPolicy) async throws {
    try await TestClient.with(policy) { tools in
      let response = try await ask(tools, "Look", [try notes(), try notes("second.txt")])
      #expect(response.outputText.contains("It came with notes.txt and second.txt."))
      #expect(response.filesForm == .inline)
      #expect(try await ask(tools, "Look", []).filesForm == nil)
      // So it does beside a typed question.
      let message = ChappieInputMessage.user("Look", files: [try notes()])
      let summary = try await tools.client.respond(to: message, generating: Summary.self)
      #expect(summary.text.contains("It came with notes.txt."))
    }
  }

  /// A model that refuses files is asked with their text, and not asked with files again.
  @Test(arguments: TestClient.policies)
  func aModelWithoutFilesGetsTheirText(_ policy: ChappieStreamingTransportPolicy) async throws {
    try await TestClient.with(policy) { tools in
      try tools.backend.play(Self.refusal)
      for _ in 0..<2 {
        let response = try await ask(tools, "Look", [try notes()])
        #expect(response.outputText.contains("Look\n\nFile: notes.txt\n\n\(Self.notes)"))
        #expect(response.filesForm == .text)
      }
      #expect(tools.backend.state.requests["responses"] == 3)
    }
  }

  /// Searches of earlier turns stay if files were the reason.
  @Test func aConversationKeepsItsFilesAndSearches() async throws {
    try await TestClient.with(.httpSSEOnly) { tools in
      let options = ChappieMessageOptions(webSearch: .live)
      _ = try await tools.client.send(.user("search for night buses", options: options))
      _ = try await tools.client.send(.user("Look", files: [try notes()]))
      try tools.backend.play(Self.refusal)
      for try await event in tools.client.stream("And now?") {
        if case .completed(let response) = event { #expect(response.filesForm == .text) }
      }
      #expect(tools.backend.state.requests["responses"] == 5)
      try tools.backend.play(#"[{"endpoint":"responses","refuses_search_items":true,"times":100}]"#)
      _ = try await tools.client.send("And now?")
      #expect(tools.backend.state.requests["responses"] == 7)
    }
  }

  /// A refusal of something else says nothing of files.
  @Test func anotherRefusalIsNotRemembered() async throws {
    try await TestClient.with(.httpSSEOnly) { tools in
      let refusal = #"{"error":{"type":"invalid_request_error","message":"Bad image","param":"input[0]"}}"#
      try tools.backend.play(
        "[{\"endpoint\":\"responses\",\"times\":2,\"status\":400,\"body\":\(refusal)}]")
      await #expect(throws: ChappieClientError.httpError(400, "Bad image")) { try await ask(tools, "Look", [notes()]) }
      #expect(try await ask(tools, "Look", [notes()]).filesForm == .inline)
    }
  }

  @Test func anOfficeDocumentNeedsABackendThatReadsIt() async throws {
    try await TestClient.with { tools in
      let document = try ChappieInputFile(data: [0x50, 0x4B, 3, 4, 0], name: "Report.DOCX")
      #expect(try await ask(tools, "Look", [document]).outputText.contains("It came with Report.DOCX."))
      try tools.backend.play(Self.refusal)
      let error = await #expect(throws: ChappieClientError.self) { try await ask(tools, "Look", [document]) }
      #expect(error?.description.contains("'Report.DOCX' cannot be read otherwise: convert it to PDF.") == true)
    }
  }

  /// What a file says may be written for the model.
  @Test func aToolNeedsApprovalBesideAFile() async throws {
    let asked = Mutex<[String]>([])
    let approval: ChappieToolApprovalHandler = { request in
      asked.withLock { $0.append(request.toolName) }
      return .denied(reason: "no")
    }
    try await TestClient.with(tools: [.named("delete")], approval: approval) { tools in
      _ = try await tools.client.send(.user("use delete {}", files: [try notes()]))
      #expect(asked.withLock { $0 } == ["delete"])
    }
  }

  // MARK: Kinds

  @Test(arguments: [
    ("a.pdf", "%PDF-1.7", "application/pdf"), ("pdf without its name", "\n%PDF-1.7", "application/pdf"),
    ("a.txt", "%PDF", "text/plain"), ("late.txt", String(repeating: " ", count: 1024) + "%PDF-1.7", "text/plain"),
    ("a.txt", "text", "text/plain"), ("a.swift", "let a = 1", "text/plain"), ("a.csv", "1,2", "text/plain"),
    ("a.docx", "PK\u{3}\u{4}", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
    ("a.ODS", "PK\u{3}\u{4}", "application/vnd.oasis.opendocument.spreadsheet"),
  ])
  func theContentAndThenTheNameDecide(_ name: String, _ content: String, _ type: String) throws {
    let file = try ChappieInputFile(data: Array(content.utf8), name: name)
    #expect(file.url.hasPrefix("data:\(type);base64,"))
    #expect(file.byteCount == content.utf8.count)
    #expect(file.data == Array(content.utf8))
    #expect(try ChappieInputFile(address: file.address) == file)
  }

  @Test(
    arguments: [
      ("a.txt", [], "The file 'a.txt' is empty."),
      ("a.zip", [0x50, 0x4B, 3, 4], "The file 'a.zip' is no document that a model reads"),
      ("docx", [0xFF, 0xFE], "The file 'docx' is no document that a model reads"),
      ("a.txt", [0x61, 0, 0x62], "The file 'a.txt' is no document that a model reads"),
      ("a\u{202E}\n/b", [], "The file 'ab' is empty."),
    ] as [(String, [UInt8], String)])
  func anotherFileIsRefused(_ name: String, _ content: [UInt8], _ message: String) {
    let error = #expect(throws: ChappieClientError.self) { try ChappieInputFile(data: content, name: name) }
    #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
  }

  @Test(arguments: [
    "", "notes.txt", "data:,a", "data:text/plain,a", "data:;base64,%",
    "data:;name=\(String(repeating: "a", count: 4000)).txt;base64,YQ==", "https://example.org/a.pdf",
  ])
  func anotherAddressIsRefused(_ address: String) {
    #expect(throws: ChappieClientError.self) { try ChappieInputFile(address: address) }
  }

  @Test func allFilesHaveABound() async throws {
    let large = [UInt8](repeating: UInt8(ascii: "a"), count: 30_000_000)
    let excess = ChappieClientError.limitExceeded(
      "The files have 60 MB, and 50 MB are allowed: send fewer or smaller ones.")
    #expect(throws: excess) { try ChappieInputFile(data: large + large, name: "a.txt") }
    let file = try ChappieInputFile(data: large, name: "a.txt")
    try await TestClient.with { tools in
      await #expect(throws: excess) { try await ask(tools, "Look", [file, file]) }
      #expect(tools.backend.state.requests["responses"] ?? 0 == 0)
    }
  }

  @Test func aFileOnDiskIsRead() async throws {
    let directory = try TemporaryDirectory()
    let path = try directory.file("notes.txt", Self.notes.utf8)
    #expect(try await ChappieInputFile(file: path) == notes())
    #expect(try await ChappieInputFile(url: URL(filePath: path)) == notes())
    #expect(try ChappieInputFile(data: Data(Self.notes.utf8), name: "notes.txt") == notes())
    for path in [directory.path, directory.path + "/none.txt", "/dev/zero"] {
      await #expect(throws: ChappieClientError.self) { try await ChappieInputFile(file: path) }
    }
  }

  @Test func aMessageKeepsItsFilesAndNamesInJSON() throws {
    let message = ChappieInputMessage.user("Look", files: [try notes()])
    #expect(try ChappieInputMessage(jsonValue: message.jsonValue) == message)
    for url in ["", "https://example.org/a.pdf", "data:,a"] {
      #expect(throws: ChappieClientError.self) { try ChappieInputFile(jsonValue: ["name": "a", "url": .string(url)]) }
    }
    #expect(try ChappieInputFile(jsonValue: ["name": "../\u{202E}a", "url": "data:a;base64,"]).name == "..a")
    let long = try ChappieInputFile(data: [0x61], name: String(repeating: "ü", count: 100_000) + ".txt")
    #expect(long.name.utf8.count <= 255 && long.name.hasSuffix("ü.txt"))
  }
}
