// SPDX-License-Identifier: Apache-2.0
@testable import GLibBridge

struct LogTests {
  private func text(_ message: LogMessage) -> String { message.text }

  /// Only a `LogValue` compiles in a message. The list has the types that must never conform.
  @Test func secretsAndTextsAreNoLogValues() {
    let forbidden: [Any.Type] = [
      SecretBytes.self, AEAD.self, String.self, Substring.self, [UInt8].self, HTTPHeaders.self, HTTPRequest.self,
      Variant.self,
    ]
    for type in forbidden { #expect(!(type is any LogValue.Type), "\(type)") }
    let allowed: Any.Type = Int.self
    #expect(allowed is any LogValue.Type)
  }

  @Test func aMessageIsASentenceWithValues() {
    #expect(text("Archived \(3), deleted \(Int64(4)).") == "Archived 3, deleted 4.")
    #expect(text("In \(Duration.milliseconds(250)), \(Duration.milliseconds(1570)).") == "In 250 ms, 1.5 s.")
    #expect(text("It failed: \(FileError.full).") == "It failed: the disk is full.")
  }

  @Test func replacesOtherCharactersInNamesAndReasons() {
    #expect(text("\(name: ":1.42") \(name: "gpt-5.1/x") \(name: "")") == ":1.42 gpt-5.1/x ?")
    #expect(text("\(name: "ada@example.org")") == "ada?example.org")
    #expect(text("\(name: "a b\nc\u{202E}d")") == "a?b?c?d")
    #expect(text("\(name: String(repeating: "x", count: 500))").count == 128)
    // A message is one line and sends no control sequence to a terminal.
    #expect(text("\(reason: "one\ntwo\u{1B}[2J")") == "one two\u{241B}[2J")
    #expect(text("\(path: "/a\nb")") == "/a b")
    #expect(text("\(reason: String(repeating: "x", count: 500))").count == 401)
  }

  @Test func theJournalReceivesFields() {
    let slot = LogSlot(fingerprint: String(repeating: "0123456789abcdef", count: 4))
    let fields = Log.fields("It is \(1).", .info, slot, domain: "chappie")
    #expect(fields.map(\.0) == ["MESSAGE", "PRIORITY", "GLIB_DOMAIN", "CHAPPIE_SLOT"])
    #expect(fields.map(\.1) == ["It is 1.", "6", "chappie", "0123456789abcdef"])
    #expect(Log.fields("It is.", .warning, nil, domain: "other").map(\.1) == ["It is.", "4", "other"])
  }
}
