// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import Foundation

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

/// Types without a strict schema.
struct SchemaErrorTests {
  enum Plain: String, Codable { case one }
  enum Loaded: Codable { case one(Int) }
  enum Nameless: Codable, CaseIterable { case one }

  struct Recipe: Codable {
    let steps: [Step]
    struct Step: Codable { let kind: Plain }
  }
  struct Choice: Codable { let kind: Loaded? }
  struct Bare: Codable { let kind: Nameless }
  struct Table: Codable { let parts: [String: Int] }
  struct Anything: Codable { let value: ChappieJSONValue }
  struct Picky: Decodable {
    let age: Age
    struct Age: Decodable {
      init(from decoder: any Decoder) throws {
        let age = try decoder.singleValueContainer().decode(Int.self)
        if age < 1 { throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "too young")) }
      }
    }
  }
  struct Either: Decodable {
    let value: Value
    struct Value: Decodable {
      init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if (try? container.decode(Int.self)) == 7 { return }
        _ = try? container.decode(String.self)
      }
    }
  }
  struct Pair: Decodable {
    init(from decoder: any Decoder) throws {
      var container = try decoder.container(keyedBy: Key.self).nestedUnkeyedContainer(forKey: .pair)
      _ = try container.decode(Int.self)
      _ = try container.decode(String.self)
    }
    enum Key: CodingKey { case pair }
  }
  struct Shape: Decodable {
    let part: Part
    struct Part: Decodable {
      enum Key: CodingKey, CaseIterable { case isRound, radius, width }
      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        let isRound = try container.decode(Bool.self, forKey: .isRound)
        _ = try container.decode(Double.self, forKey: isRound ? .radius : .width)
      }
    }
  }
  struct Raw: Codable { let bytes: Data }
  struct Price: Codable { let amount: [Decimal] }
  final class Loop: Decodable { let next: Loop }
  struct Unknown: Codable, ChappieDescribed {
    let a: Int
    static let fieldDescriptions: [String: ChappieFieldDescription] = ["b": "It is not there."]
  }
  struct Misfit: Codable, ChappieDescribed {
    let a: [Int]
    static let fieldDescriptions = ["a": ChappieFieldDescription(pattern: "x")]
  }
  struct Bounded<Bounds: TestBounds>: Codable, ChappieDescribed {
    let number: Double
    let list: [String]
    let text: String
    static var fieldDescriptions: [String: ChappieFieldDescription] { Bounds.bounds }
  }
  protocol TestBounds { static var bounds: [String: ChappieFieldDescription] { get } }
  enum Infinite: TestBounds { static let bounds = ["number": ChappieFieldDescription(maximum: .infinity)] }
  enum Reversed: TestBounds { static let bounds = ["number": ChappieFieldDescription(minimum: 2, maximum: 1)] }
  enum Negative: TestBounds { static let bounds = ["list": ChappieFieldDescription(minItems: -1)] }
  enum Crossed: TestBounds { static let bounds = ["list": ChappieFieldDescription(minItems: 2, maxItems: 1)] }
  enum NoText: TestBounds { static let bounds = ["text": ChappieFieldDescription(anyOf: [])] }
  enum ManyTexts: TestBounds {
    static let bounds = ["text": ChappieFieldDescription(anyOf: (0...1000).map { "\($0)" })]
  }
  struct Deep<Part: Codable>: Codable { let part: Part }
  typealias Four<Part: Codable> = Deep<Deep<Deep<Deep<Part>>>>
  struct Crowd: Codable { let number: Number }
  struct Number: RawRepresentable, Codable, CaseIterable {
    let rawValue: Int
    static let allCases = (0...1000).map { Number(rawValue: $0) }
  }
  struct Wide: Decodable {
    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Key.self)
      for number in 0...5000 { _ = try container.decode(Int.self, forKey: Key(intValue: number)) }
    }
    struct Key: CodingKey {
      let stringValue: String
      let intValue: Int?
      init(stringValue: String) { (self.stringValue, intValue) = (stringValue, nil) }
      init(intValue: Int) { (stringValue, self.intValue) = ("n\(intValue)", intValue) }
    }
  }

  static var table: [(type: any Decodable.Type, message: String)] {
    [
      (Recipe.self, "recipe.steps[].kind: Plain must be CaseIterable, so that its values are known"),
      (
        Choice.self,
        "choice.kind: an enum with associated values, or an object of any names, has no schema: use a struct with "
          + "optionals"
      ),
      (Bare.self, "bare.kind: an enum without raw values has no schema: give it String raw values"),
      (
        Table.self,
        "table.parts: a dictionary has no strict schema: use an array of a struct with the key and the value"
      ),
      (Anything.self, "anything.value: any JSON has no strict schema: use a type"),
      (Picky.self, "picky.age: the init(from:) of Age refuses samples such as 0 and an empty text: write the schema"),
      (Either.self, "either.value: its init(from:) tries several types here: a strict schema has one"),
      (Pair.self, "pair.pair: an array with elements of several meanings has no schema: use a struct"),
      (
        Shape.self,
        "shape.part.radius: the init(from:) reads this only for some values: read it always, or write the schema"
      ),
      (Raw.self, "raw.bytes: Data has no schema: use a text, such as its base64"),
      (Price.self, "price.amount[]: Decimal has no schema: use a text or a Double"),
      (Bounded<Infinite>.self, "bounded<Infinite>.number: a bound must be a finite number"),
      (Bounded<Reversed>.self, "bounded<Reversed>.number: the minimum must not be above the maximum"),
      (Bounded<Negative>.self, "bounded<Negative>.list: a number of elements must be 0 or more"),
      (Bounded<Crossed>.self, "bounded<Crossed>.list: minItems must not be above maxItems"),
      (Bounded<NoText>.self, "bounded<NoText>.text: anyOf must have a text"),
      (Bounded<ManyTexts>.self, "bounded<ManyTexts>.text: the enums have more than 1000 values: use a text"),
      (Loop.self, "loop.next: Loop contains itself: only arrays and optionals of it have a schema"),
      (Unknown.self, "unknown: a field 'b' is described, and is not read"),
      (Misfit.self, "misfit.a: the bound 'pattern' does not fit the field's type: remove it"),
      (
        Four<Four<Four<Int>>>.self,
        "deep<Deep<Deep<Deep<Deep<Deep<Deep<Deep<Deep<Deep<Deep<Deep<Int>>>>>>>>>>>>"
          + String(repeating: ".part", count: 11) + ": objects are nested in more than 10 levels: make the type flatter"
      ),
      (Crowd.self, "crowd.number: the enums have more than 1000 values: use a text"),
      (Wide.self, "wide.n5000: the type has more than 5000 properties: ask for less"),
      ([Int].self, "array<Int>: the whole must be an object: put it into a struct"),
      (Int.self, "int: the whole must be an object: put it into a struct"),
    ]
  }

  @Test(arguments: table.indices)
  func theErrorNamesTheFieldAndTheRemedy(_ index: Int) {
    let row = Self.table[index]
    #expect {
      try ChappieSchema.of(row.type)
    } throws: { error in
      #expect((error as? ChappieSchemaError)?.description == row.message)
      #expect(error.localizedDescription == row.message)
      return true
    }
  }
}
