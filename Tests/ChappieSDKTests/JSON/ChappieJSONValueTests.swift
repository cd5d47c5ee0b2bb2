// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Testing

@testable import ChappieSDK

struct ChappieJSONValueTests {
  private static let sample: ChappieJSONValue = [
    "text": "a\"b\n", "list": [1, 2.5, true, .null, []], "object": ["b": -1, "a": [:]],
  ]

  @Test func isWrittenAndReadAsOneLineWithSortedKeys() throws {
    let text = #"{"list":[1,2.5,true,null,[]],"object":{"a":{},"b":-1},"text":"a\"b\n"}"#
    #expect(Self.sample.json == text)
    #expect(try ChappieJSONValue(json: text) == Self.sample)
    let encoded = try JSONEncoder().encode(Self.sample)
    #expect(try JSONDecoder().decode(ChappieJSONValue.self, from: encoded) == Self.sample)
    #expect(try ChappieJSONValue(json: String(decoding: encoded, as: UTF8.self)) == Self.sample)
    // What cannot be written is replaced.
    let value: ChappieJSONValue = [.number(.nan), .number(.infinity), "a\0b", ["\0key": 1]]
    #expect(value.json == "[null,null,\"a\u{FFFD}b\",{\"\u{FFFD}key\":1}]")
  }

  @Test func invalidJSONIsAnInvalidArgument() {
    #expect(
      throws: ChappieClientError.invalidArgument(
        "The text is no JSON, is nested too deep, or has a name twice in an object.")
    ) {
      try ChappieJSONValue(json: "{}{}")
    }
  }

  @Test func lastDuplicateKeyOfALiteralWins() {
    let literal: ChappieJSONValue = ["a": 1, "a": 2]
    #expect(literal == ["a": 2])
  }

  /// Also names that `String` takes for one, and those that only become alike in reading.
  @Test(arguments: [
    #"{"a":1,"a":1}"#, #"{"a":1,"\u0061":2}"#, #"[{"b":{"a":null,"x":0,"a":null}}]"#, #"{"\u00e9":1,"e\u0301":2}"#,
    "{\"\u{E9}\":1,\"e\u{301}\":2}", "{\"K\":1,\"\u{212A}\":2}", #"{"\ud800":1,"\udfff":2}"#, #"{"":1,"":2}"#,
  ])
  func refusesANameTwice(_ json: String) {
    #expect(throws: ChappieClientError.self) { try ChappieJSONValue(json: json) }
  }

  @Test func comparesNamesAndStringsByTheirBytes() throws {
    let value = try ChappieJSONValue(json: #"{"e\u0301":"e\u0301","\u212a":1}"#)
    #expect(value["\u{E9}"] == nil && value["K"] == nil)
    #expect(value["e\u{301}"] == "e\u{301}" && value["e\u{301}"] != "\u{E9}")
    #expect(value != ["\u{E9}": "e\u{301}", "\u{212A}": 1] && value == ["e\u{301}": "e\u{301}", "\u{212A}": 1])
  }

  /// The test compares valid texts and texts with one changed byte. It skips three differences: Foundation refuses a
  /// lone surrogate, keeps U+0000 and accepts a trailing comma.
  @Test func agreesWithFoundation() throws {
    let bytes = Array("{}[],:\"\\01289-+.eEtrufalsn/'x \n".utf8)
    var random = SeededGenerator(seed: 4)
    var (taken, refused) = (0, 0)
    for seed in UInt64(0)..<400 {
      var maker = RandomJSON(seed: seed)
      let text = maker.object()
      #expect(try ChappieJSONValue(json: text) == Self.foundation(text), "\(text)")
      for _ in 0..<10 {
        var changed = Array(text.utf8)
        let byte = bytes.randomElement(using: &random) ?? 0
        changed[Int.random(in: changed.indices, using: &random)] = byte
        let broken = String(decoding: changed, as: UTF8.self)
        let lower = broken.lowercased()
        guard !lower.contains("\\ud"), !lower.contains("\\u0000"), !lower.contains(/,\s*[}\]]/),
          Array(broken.utf8) == changed
        else { continue }
        let expected = Self.foundation(broken)
        if expected == nil { refused += 1 } else { taken += 1 }
        #expect((try? ChappieJSONValue(json: broken)) == expected, "\(broken)")
      }
    }
    #expect(taken > 300 && refused > 300)
  }

  private static func foundation(_ text: String) -> ChappieJSONValue? {
    try? ChappieJSONValue(foundation: text.utf8)
  }

  @Test func accessorsMatchTheType() throws {
    #expect(Self.sample["text"]?.stringValue == "a\"b\n")
    #expect(Self.sample["list"]?[0]?.integerValue == 1 && Self.sample["list"]?[0]?.numberValue == 1)
    #expect(Self.sample["list"]?[1]?.numberValue == 2.5 && Self.sample["list"]?[1]?.integerValue == nil)
    #expect(Self.sample["list"]?[2]?.boolValue == true)
    #expect(Self.sample["list"]?[3]?.isNull == true)
    #expect(Self.sample["list"]?.arrayValue?.count == 5)
    #expect(Self.sample["object"]?.objectValue?.count == 2)
    #expect(Self.sample["list"]?[5] == nil && Self.sample["list"]?[-1] == nil)
    #expect(Self.sample["none"] == nil && Self.sample["text"]?["a"] == nil && Self.sample["text"]?[0] == nil)
    #expect(ChappieJSONValue.number(3).integerValue == 3)
    let text = try #require(Self.sample["text"])
    #expect(text.integerValue == nil && text.numberValue == nil && text.boolValue == nil && !text.isNull)
    #expect(text.arrayValue == nil && text.objectValue == nil && ChappieJSONValue.null.stringValue == nil)
  }

  @Test func numbersAreEqualByValue() {
    #expect(ChappieJSONValue.integer(1) == .number(1) && ChappieJSONValue.number(1) == .integer(1))
    #expect(ChappieJSONValue.integer(1) != .number(1.5) && ChappieJSONValue.integer(1) != .bool(true))
    #expect(ChappieJSONValue.integer(.max) != .number(Double(Int64.max)))
    #expect(Set<ChappieJSONValue>([.integer(1), .number(1), [1], [1.0], .null, false, "1"]).count == 5)
  }

  @Test(arguments: ["null", "true", "0", "9223372036854775807", "-0.5", "1e300", "\"\"", "[]", "{}", "[[{\"a\":[1]}]]"])
  func decoderAgreesWithTheParser(_ text: String) throws {
    let decoded = try JSONDecoder().decode(ChappieJSONValue.self, from: Data(text.utf8))
    #expect(try decoded == ChappieJSONValue(json: text))
  }
}
