// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

/// The sentences that a front end translates are those that the libraries and the service write.
@Suite struct KnownSentencesTests {
  private static let lists = [
    "Sources/ChappieSDK/Errors/ErrorSentences.swift", "Sources/chappie/Service/ServiceSentences.swift",
  ]

  /// The source with each literal in one piece.
  private static func joined(_ source: String) -> String {
    source.replacing(/\\\n\s*/, with: "").replacing(/"\s*\+\s*"/, with: "")
  }

  @Test(arguments: lists)
  func eachIsWrittenSomewhere(_ list: String) throws {
    let folders = ["ChappieMCP", "ChappieSDK", "ChappieSDKRuntime", "ChappieService", "GLibBridge"].map {
      "Sources/\($0)"
    }
    let files = try folders.flatMap(SourceTree.files).filter { !Self.lists.contains($0) }
    let sources = try files.map { Self.joined(try SourceTree.text(of: $0)) }.joined()
    let sentences = Self.joined(try SourceTree.text(of: list)).matches(of: /translatable\(\s*"(?:"")?\s*([^"]*)"/)
    #expect(sentences.count > 20)
    for sentence in sentences {
      let parts = sentence.1.split(separator: "\\(value)").map {
        $0.trimmingCharacters(in: CharacterSet(charactersIn: " .:'\n"))
      }
      for part in parts where part.count > 2 {
        let isWritten = sources.contains(part)
        #expect(isWritten, "\(part)")
      }
    }
  }
}
