// SPDX-License-Identifier: Apache-2.0
import ChappieSDK

/// A type of which the model can make a value: any that can be decoded. `ChappieSchema.of(_:)` derives its schema.
public typealias Generable = Decodable & Sendable

/// The schema of a typed answer or of a tool's arguments.
public typealias GenerationSchema = ChappieSchema

/// What the model has written, as a JSON value: an object for a typed answer, a string for a text.
public struct GeneratedContent: Sendable, Hashable, Codable {
  /// The value. While it is streamed, members and elements that have not begun are missing.
  public let json: ChappieJSONValue
  /// Whether the model has written it to its end.
  public let isComplete: Bool

  /// Creates content from a value.
  public init(_ json: ChappieJSONValue, isComplete: Bool = true) {
    self.json = json
    self.isComplete = isComplete
  }

  /// Creates content from JSON text.
  ///
  /// - Throws: ``ChappieClientError/invalidArgument(_:)`` for text that is no JSON.
  public init(json text: String) throws {
    self.init(try ChappieJSONValue(json: text))
  }

  /// Decodes any JSON value.
  public init(from decoder: any Decoder) throws {
    self.init(try ChappieJSONValue(from: decoder))
  }

  /// Encodes ``json``.
  public func encode(to encoder: any Encoder) throws {
    try json.encode(to: encoder)
  }

  /// ``json`` as text, with keys in alphabetical order.
  public var jsonString: String { json.json }

  /// Reads a value of a type from ``json``.
  ///
  /// - Throws: `DecodingError`.
  public func value<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
    try json.decoded()
  }

  /// Reads a value of a type from a member of the object ``json``. A missing member counts as null.
  ///
  /// - Throws: `DecodingError`.
  public func value<Value: Decodable>(_ type: Value.Type = Value.self, forProperty name: String) throws -> Value {
    try (json[name] ?? .null).decoded()
  }
}

extension GeneratedContent: PromptRepresentable {}
