// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import Foundation
import Testing

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
      (
        Bare.self,
        "bare.kind: an enum without raw values has no schema: give it String raw values"
      ),
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
