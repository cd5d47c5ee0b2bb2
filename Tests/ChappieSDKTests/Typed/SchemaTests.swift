// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import Foundation
import Testing

/// The schemas of types.
struct SchemaTests {
  enum Kind: String, Codable, CaseIterable { case cut, boil }
  enum Level: Int, Codable, CaseIterable { case low = 1, high = 9 }

  struct Scalars: Codable {
    let text: String
    let flag: Bool
    let signed: Int
    let small: UInt8
    let wide: Int64
    let real: Double
    let short: Float
  }
  struct Optionals: Codable {
    let text: String?
    let number: Int?
    let kind: Kind?
    let list: [Int]?
    let inner: Empty?
  }
  struct Empty: Codable {}
  struct Names: Codable {
    let second: Int
    let first: Int
    enum CodingKeys: String, CodingKey { case second = "second_name", first }
  }
  struct Nested: Codable {
    let kinds: [Kind]
    let level: Level
    let steps: [Step]
    let table: [[Double]]
    let gaps: [Int?]
    let tags: Set<String>
    struct Step: Codable { let empty: Empty }
  }
  struct Times: Codable {
    let at: Date
    let site: URL
    let id: UUID
    let ended: Date?
  }
  struct Tree: Codable {
    let name: String
    let children: [Tree]
  }
  struct Forest: Codable {
    let list: Link?
    let other: [Link]
    final class Link: Codable { let next: Link? }
  }
  struct Wrapped: Codable {
    let slug: Slug
    struct Slug: Codable, RawRepresentable { let rawValue: String }
  }
  struct Described: Codable, ChappieDescribed {
    let title: String
    let part: Double
    let count: Int?
    let words: [String]
    let color: String
    let inner: Empty?
    static let fieldDescriptions: [String: ChappieFieldDescription] = [
      "title": "The name.", "part": ChappieFieldDescription(minimum: 0, maximum: 0.5),
      "count": ChappieFieldDescription("How many.", minimum: 1),
      "words": ChappieFieldDescription(minItems: 1, maxItems: 3, pattern: "^[a-z]+$"),
      "color": ChappieFieldDescription(anyOf: ["red", "blue"]), "inner": "More.",
    ]
  }
  class Base: Codable { let id: Int }
  final class Derived: Base {
    let name: String
    enum CodingKeys: CodingKey { case name }
    required init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      name = try container.decode(String.self, forKey: .name)
      try super.init(from: container.superDecoder())
    }
  }
  /// All keys are read.
  struct Keyed: Decodable {
    enum CodingKeys: CodingKey, CaseIterable { case second, first }
    let second: Int?
    let first: [Keyed]
  }
  struct ByHand: Decodable {
    enum CodingKeys: CodingKey { case point, maybe }
    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      var list = try container.nestedUnkeyedContainer(forKey: .point)
      while !list.isAtEnd { _ = try list.decode(Double.self) }
      _ = try container.decodeNil(forKey: .maybe) ? nil : container.decode(Int.self, forKey: .maybe)
    }
  }

  static var table: [(type: any Decodable.Type, properties: String, required: [ChappieJSONValue])] {
    [
      (
        Scalars.self,
        """
        {"text":{"type":"string"},"flag":{"type":"boolean"},"signed":{"type":"integer"},"small":{"type":"integer"},
         "wide":{"type":"integer"},"real":{"type":"number"},"short":{"type":"number"}}
        """, ["text", "flag", "signed", "small", "wide", "real", "short"]
      ),
      (
        Optionals.self,
        """
        {"text":{"type":["string","null"]},"number":{"type":["integer","null"]},
         "kind":{"anyOf":[{"type":"string","enum":["cut","boil"]},{"type":"null"}]},
         "list":{"anyOf":[{"type":"array","items":{"type":"integer"}},{"type":"null"}]},
         "inner":{"anyOf":[{"type":"object","properties":{},"required":[],"additionalProperties":false},
                  {"type":"null"}]}}
        """, ["text", "number", "kind", "list", "inner"]
      ),
      (Empty.self, "{}", []),
      (Names.self, #"{"second_name":{"type":"integer"},"first":{"type":"integer"}}"#, ["second_name", "first"]),
      (
        Nested.self,
        """
        {"kinds":{"type":"array","items":{"type":"string","enum":["cut","boil"]}},
         "level":{"type":"integer","enum":[1,9]},
         "steps":{"type":"array","items":{"type":"object","required":["empty"],"additionalProperties":false,
           "properties":{"empty":{"type":"object","properties":{},"required":[],"additionalProperties":false}}}},
         "table":{"type":"array","items":{"type":"array","items":{"type":"number"}}},
         "gaps":{"type":"array","items":{"type":["integer","null"]}},
         "tags":{"type":"array","items":{"type":"string"}}}
        """, ["kinds", "level", "steps", "table", "gaps", "tags"]
      ),
      (
        Times.self,
        """
        {"at":{"type":"string","format":"date-time"},"site":{"type":"string"},
         "id":{"type":"string","format":"uuid"},"ended":{"type":["string","null"],"format":"date-time"}}
        """, ["at", "site", "id", "ended"]
      ),
      (
        Tree.self, ##"{"name":{"type":"string"},"children":{"type":"array","items":{"$ref":"#"}}}"##,
        ["name", "children"]
      ),
      (
        Forest.self,
        ##"""
        {"list":{"anyOf":[{"$ref":"#/$defs/Link"},{"type":"null"}]},
         "other":{"type":"array","items":{"$ref":"#/$defs/Link"}}}
        """##, ["list", "other"]
      ),
      (Wrapped.self, #"{"slug":{"type":"string"}}"#, ["slug"]),
      (
        Described.self,
        """
        {"title":{"type":"string","description":"The name."},"part":{"type":"number","minimum":0,"maximum":0.5},
         "count":{"type":["integer","null"],"minimum":1,"description":"How many."},
         "words":{"type":"array","minItems":1,"maxItems":3,"items":{"type":"string","pattern":"^[a-z]+$"}},
         "color":{"type":"string","enum":["red","blue"]},
         "inner":{"anyOf":[{"type":"object","properties":{},"required":[],"additionalProperties":false},
           {"type":"null"}],"description":"More."}}
        """, ["title", "part", "count", "words", "color", "inner"]
      ),
      (
        Derived.self,
        """
        {"name":{"type":"string"},"super":{"type":"object","properties":{"id":{"type":"integer"}},"required":["id"],
          "additionalProperties":false}}
        """, ["name", "super"]
      ),
      (
        Keyed.self, ##"{"second":{"type":["integer","null"]},"first":{"type":"array","items":{"$ref":"#"}}}"##,
        ["second", "first"]
      ),
      (
        ByHand.self, #"{"point":{"type":"array","items":{"type":"number"}},"maybe":{"type":["integer","null"]}}"#,
        ["point", "maybe"]
      ),
    ]
  }

  @Test(arguments: table.indices)
  func aTypeHasItsSchema(_ index: Int) throws {
    let row = Self.table[index]
    let schema = try ChappieSchema.of(row.type)
    #expect(schema.json["type"] == "object")
    #expect(try schema.json["properties"] == ChappieJSONValue(json: row.properties))
    #expect(schema.json["required"] == .array(row.required))
    #expect(schema.json["additionalProperties"] == false)
    #expect(schema.isStrict)
  }

  @Test func aTypeThatContainsItselfIsADefinition() throws {
    let next: ChappieJSONValue = ["anyOf": [["$ref": "#/$defs/Link"], ["type": "null"]]]
    #expect(
      try ChappieSchema.of(Forest.self).json["$defs"] == [
        "Link": [
          "type": "object", "properties": ["next": next], "required": ["next"], "additionalProperties": false,
        ]
      ])
  }

  @Test(arguments: [
    #"{"type":"object","properties":{"a":{"type":"string","format":"uri"}},"required":["a"],"additionalProperties":false}"#,
    #"{"anyOf":[]}"#, "true", #"{"type":"array","items":{"type":"string"}}"#,
    #"{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}"#,
    #"{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false}"#,
    #"{"type":"object","properties":{"a":{"minLength":1}},"required":["a"],"additionalProperties":false}"#,
    #"{"type":"object","properties":{"a":{"type":"object"}},"required":["a"],"additionalProperties":false}"#,
    #"{"type":"object","properties":{"a":{"items":{"oneOf":[]}}},"required":["a"],"additionalProperties":false}"#,
    #"{"type":"object","additionalProperties":false,"$defs":{"a":true}}"#,
    #"{"type":"object","properties":{"a":{}},"required":["a"],"additionalProperties":false}"#,
    #"{"type":"object","properties":{"a":{"type":["object","null"]}},"required":["a"],"additionalProperties":false}"#,
  ])
  func aSchemaByHandCanBeOtherThanStrict(_ text: String) throws {
    #expect(!ChappieSchema(try ChappieJSONValue(json: text)).isStrict)
  }
}
