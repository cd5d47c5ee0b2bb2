// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import Foundation

/// Values of Swift types in JSON, compared with Foundation's coders.
struct TypedJSONTests {
  struct Sample: Codable, Hashable {
    var text = "a\"ü"
    var flag = true
    var numbers: [Int8] = [-128, 127]
    var wide = UInt64.max
    var real = 0.25
    var none: Int?
    var some: Float? = 1.5
    var names = ["one": 1, "two": 2]
    var at = Date(timeIntervalSince1970: 1_800_000_000)
    var site = URL(string: "https://example.org/a?b=c")
    var id = UUID()
    var kind = Kind.other(word: "x")
    var list: [[Bool?]] = [[], [true, nil]]
    enum Kind: Codable, Hashable { case one, other(word: String) }
  }
  final class Child: Parent, @unchecked Sendable {
    var name = "child"
    enum Key: CodingKey { case name, rest, list }
    override init() { super.init() }
    required init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Key.self)
      name = try container.decode(String.self, forKey: .name)
      try super.init(from: container.superDecoder(forKey: .rest))
      var list = try container.nestedUnkeyedContainer(forKey: .list)
      let isNull = try list.decodeNil()
      let inner = try list.nestedContainer(keyedBy: Key.self)
      #expect(isNull && list.isAtEnd)
      #expect(try inner.decode(Int.self, forKey: .name) == 7)
    }
    override func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Key.self)
      try container.encode(name, forKey: .name)
      try super.encode(to: container.superEncoder(forKey: .rest))
      var list = container.nestedUnkeyedContainer(forKey: .list)
      try list.encodeNil()
      var inner = list.nestedContainer(keyedBy: Key.self)
      try inner.encode(7, forKey: .name)
    }
  }
  class Parent: Codable, @unchecked Sendable { var age = 40 }

  @Test func valuesAreReadAsTheyAreWritten() throws {
    let sample = Sample(wide: 1 << 53)
    let json = try ChappieJSONValue(encoding: sample)
    #expect(json["at"] == "2027-01-15T08:00:00Z")
    #expect(json["site"] == "https://example.org/a?b=c")
    #expect(json["none"] == nil)
    #expect(json["kind"] == ["other": ["word": "x"]])
    #expect(try json.decoded(as: Sample.self) == sample)
    #expect(try ChappieJSONValue(json: json.json).decoded() == sample)
    // The form is Foundation's.
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    #expect(try ChappieJSONValue(json: String(decoding: encoder.encode(sample), as: UTF8.self)) == json)
  }

  @Test func classesWithSuperclassesAndContainersInContainers() throws {
    let json = try ChappieJSONValue(encoding: Child())
    #expect(json == ["name": "child", "rest": ["age": 40], "list": [.null, ["name": 7]]])
    #expect(try json.decoded(as: Child.self).age == 40)
  }

  @Test(arguments: ["2027-01-15T08:00:00Z", "2027-01-15T10:00:00+02:00", "2027-01-15T08:00:00.000Z"])
  func aDateHasSeveralForms(_ text: String) throws {
    #expect(try ChappieJSONValue.string(text).decoded() == Date(timeIntervalSince1970: 1_800_000_000))
  }

  @Test(arguments: [
    "yesterday", "2027-13-01T00:00:00Z", "2026-02-30T00:00:00Z", "2027-01-15T08:00:00Z trailing",
    " 2027-01-15T08:00:00Z", "2027-01-15T24:00:00Z", "2027-01-15T08:61:00Z", "2027-01-15T08:00:00",
    "2027-01-15T08:00:00+24:00", "1969-12-31T23:59:59Z", "1970-01-01T00:30:00+01:00", "٢٠٢٧-01-15T08:00:00Z",
  ])
  func anotherTextIsNoDate(_ text: String) throws {
    #expect(throws: DecodingError.self) { try ChappieJSONValue.string(text).decoded(as: Date.self) }
  }

  @Test(arguments: [
    (0, "1970-01-01T00:00:00Z"), (1_800_000_000.25, "2027-01-15T08:00:00.250000Z"),
    (1_800_000_000.3, "2027-01-15T08:00:00.300000Z"), (253_402_300_799, "9999-12-31T23:59:59Z"),
  ])
  func aDateKeepsItsFraction(_ time: Double, _ text: String) throws {
    let json = try ChappieJSONValue(encoding: Date(timeIntervalSince1970: time))
    #expect(json.stringValue == text)
    #expect(abs(try json.decoded(as: Date.self).timeIntervalSince1970 - time) < 0.000_001)
  }

  @Test func whatJSONCannotExpressIsAnError() throws {
    let values: [any Encodable & Sendable] = [
      UInt64.max, UInt64(Int64.max) + 2, Double.nan, -Float.infinity, Date(timeIntervalSince1970: -1),
      Date(timeIntervalSince1970: 253_402_300_800),
    ]
    for value in values {
      #expect(throws: EncodingError.self, "\(value)") { try ChappieJSONValue(encoding: value) }
    }
    #expect(try ChappieJSONValue(encoding: UInt64(1) << 63) == .number(0x1p63))
    #expect(try ChappieJSONValue(encoding: Float(0.1)) == 0.1)
    #expect(try (0.1 as ChappieJSONValue).decoded() == Float(0.1))
  }

  @Test func numbersThatDoNotFitAreErrors() throws {
    #expect(throws: DecodingError.self) { try (1e300 as ChappieJSONValue).decoded(as: Float.self) }
    #expect(try (1.0 as ChappieJSONValue).decoded() == 1)
    #expect(throws: DecodingError.self) { try (1.5 as ChappieJSONValue).decoded(as: Int.self) }
    #expect(throws: DecodingError.self) { try (256 as ChappieJSONValue).decoded(as: UInt8.self) }
    #expect(throws: DecodingError.self) { try (-1 as ChappieJSONValue).decoded(as: UInt.self) }
    #expect(throws: DecodingError.self) { try (1e300 as ChappieJSONValue).decoded(as: Int64.self) }
    #expect(throws: DecodingError.self) { try ("1" as ChappieJSONValue).decoded(as: Int.self) }
  }
}
