// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import Platform

/// The keys with which a front end recognises the errors of the libraries and the service.
@Suite struct KnownSentencesTests {
  /// The keys of scripts/messages, in the order of the catalogues.
  private static func keys() throws -> [String] {
    let pipe = Pipe()
    let process = Process()
    process.executableURL = URL(filePath: SourceTree.path(of: "scripts/messages"))
    process.arguments = ["--keys", SourceTree.path(of: "Sources")]
    process.standardOutput = pipe
    try process.run()
    let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    let text = try #require(output.firstMatch(of: /msgid "en"\nmsgstr "(.*)"\n/)).1
    return text.split(separator: "\\n").map { String($0).replacing("\\\"", with: "\"") }
  }

  /// Each sentence is taken for itself, also if words of others at its end look like another one; its key has words to
  /// know it by.
  @Test func eachIsTakenForItself() throws {
    let keys = try Self.keys()
    #expect(keys.count > 120)
    for key in keys {
      #expect(key.replacing(/%[0-9]\$s/, with: "").filter(\.isLetter).count > 11, "\(key)")
      let places = key.matches(of: /%[0-9]\$s/).count
      guard places > 0 else { continue }
      let words = places > 1 ? ["it said “option 'x' cannot be used: y”"] : []
      for last in ["x", "500", "it is damaged (No. 5)"] + words {
        let message = (1...places).reduce(key) { message, place in
          message.replacing("%\(place)$s", with: place == places ? last : "files")
        }.replacing("%%", with: "%")
        #expect(Translation.recognise(message, by: keys)?.key == key, "\(message)")
      }
    }
  }
}
