/// A tool as the model sees it. What it does is a ``ChappieHostTool`` of the same name.
public struct ChappieHarnessTool: Sendable, Hashable {
  /// What the model calls it by: 1 to 64 of A to Z, a to z, 0 to 9, `_` and `-`.
  public var name: String
  /// Tells the model what it does, and when to use it.
  public var description: String
  /// A JSON Schema of an object: the arguments.
  public var inputSchema: ChappieJSONValue
  /// Whether it runs when the model calls it.
  public var policy: ChappieToolPolicy

  public init(
    name: String,
    description: String,
    inputSchema: ChappieJSONValue = ChappieHarnessTool.noArguments,
    policy: ChappieToolPolicy = .automatic
  ) {
    self.name = name
    self.description = description
    self.inputSchema = inputSchema
    self.policy = policy
  }

  /// The schema of a tool that takes no arguments.
  public static let noArguments: ChappieJSONValue = [
    "type": "object", "properties": [:], "additionalProperties": false,
  ]

  /// The schema that arguments are held against, after this tool's name and schema were checked.
  ///
  /// - Throws: ``ChappieClientError/invalidArgument(_:)``, which names the tool and what is wrong with it.
  package func argumentsSchema() throws(ChappieClientError) -> JSONSchema {
    guard (1...64).contains(name.utf8.count), name.utf8.allSatisfy(Self.isNameByte) else {
      let shown = Redaction.message(String(name.prefix(64)))
      throw .invalidArgument("A tool's name must have 1 to 64 letters, digits, '_' or '-' of ASCII, not '\(shown)'.")
    }
    guard inputSchema["type"] == "object" else {
      throw .invalidArgument("The input schema of the tool '\(name)' must be a JSON Schema with type 'object'.")
    }
    do {
      return try JSONSchema(inputSchema)
    } catch {
      throw .invalidArgument("The input schema of the tool '\(name)' cannot be used: \(error).")
    }
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
      true
    default: false
    }
  }
}

/// Whether a tool runs when the model calls it.
public enum ChappieToolPolicy: String, Sendable, Hashable, Codable, CaseIterable {
  /// It runs at once.
  case automatic
  /// It runs when the user has approved this call.
  case ask
  /// It does not run; the model is told so.
  case deny
}
