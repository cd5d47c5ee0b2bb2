// SPDX-License-Identifier: Apache-2.0
import ChappieSDK

/// The entries of a session, in order: a value to show, to store, and to go on from.
public struct Transcript: Sendable, Hashable, Codable {
  /// A part of a transcript.
  public enum Entry: Sendable, Hashable, Codable, Identifiable {
    /// What the model was told first.
    case instructions(Instructions)
    /// A request.
    case prompt(Prompt)
    /// Tools that the model called.
    case toolCalls(ToolCalls)
    /// The output of a tool, as the model got it.
    case toolOutput(ToolOutput)
    /// An answer.
    case response(Response)

    /// Identifies the entry within its transcript.
    public var id: String {
      switch self {
      case .instructions(let entry): entry.id
      case .prompt(let entry), .response(let entry): entry.id
      case .toolCalls(let entry): entry.id
      case .toolOutput(let entry): entry.id
      }
    }
  }

  /// A piece of an entry.
  public enum Segment: Sendable, Hashable, Codable {
    /// Text.
    case text(TextSegment)
    /// A typed answer.
    case structure(StructuredSegment)
  }

  /// Text.
  public struct TextSegment: Sendable, Hashable, Codable {
    /// The text.
    public var content: String

    /// Creates a segment.
    public init(content: String) {
      self.content = content
    }
  }

  /// A typed answer.
  public struct StructuredSegment: Sendable, Hashable, Codable {
    /// The name of the answer's type.
    public var source: String
    /// The answer.
    public var content: GeneratedContent

    /// Creates a segment.
    public init(source: String, content: GeneratedContent) {
      self.source = source
      self.content = content
    }
  }

  /// What the model was told first.
  public struct Instructions: Sendable, Hashable, Codable, Identifiable {
    /// Identifies the entry.
    public var id: String
    /// The instructions.
    public var segments: [Segment]
    /// The tools that the model was told of.
    public var toolDefinitions: [ToolDefinition]

    /// Creates an entry.
    ///
    /// - Parameter id: identifies the entry; nil for a random id.
    public init(id: String? = nil, segments: [Segment], toolDefinitions: [ToolDefinition] = []) {
      self.id = id ?? Transcript.newID()
      self.segments = segments
      self.toolDefinitions = toolDefinitions
    }
  }

  /// A tool as the model was told of it.
  public struct ToolDefinition: Sendable, Hashable, Codable {
    /// The tool's name.
    public var name: String
    /// What it does.
    public var description: String

    /// The definition of a tool.
    public init(tool: any Tool) {
      name = tool.name
      description = tool.description
    }
  }

  /// A request.
  public typealias Prompt = Message
  /// An answer.
  public typealias Response = Message

  /// A request or an answer.
  public struct Message: Sendable, Hashable, Codable, Identifiable {
    /// Identifies the entry.
    public var id: String
    /// The content.
    public var segments: [Segment]

    /// Creates an entry.
    ///
    /// - Parameter id: identifies the entry; nil for a random id.
    public init(id: String? = nil, segments: [Segment]) {
      self.id = id ?? Transcript.newID()
      self.segments = segments
    }
  }

  /// A call of a tool.
  public struct ToolCall: Sendable, Hashable, Codable, Identifiable {
    /// Identifies the call. The entry with its output has the same id.
    public var id: String
    /// The tool's name.
    public var toolName: String
    /// The arguments, as the model wrote them.
    public var arguments: GeneratedContent

    /// Creates a call.
    public init(id: String, toolName: String, arguments: GeneratedContent) {
      self.id = id
      self.toolName = toolName
      self.arguments = arguments
    }
  }

  /// Tools that the model called.
  public struct ToolCalls: Sendable, Hashable, Codable, Identifiable, RandomAccessCollection {
    /// Identifies the entry.
    public private(set) var id: String
    private var calls: [ToolCall]

    /// Creates an entry.
    ///
    /// - Parameter id: identifies the entry; nil for a random id.
    public init(id: String? = nil, _ calls: some Sequence<ToolCall>) {
      self.id = id ?? Transcript.newID()
      self.calls = Array(calls)
    }

    public var startIndex: Int { calls.startIndex }
    public var endIndex: Int { calls.endIndex }
    public subscript(position: Int) -> ToolCall { calls[position] }
  }

  /// The output of a tool.
  public struct ToolOutput: Sendable, Hashable, Codable, Identifiable {
    /// Identifies the call.
    public var id: String
    /// The tool's name.
    public var toolName: String
    /// The output, as the model got it.
    public var segments: [Segment]

    /// Creates an entry.
    public init(id: String, toolName: String, segments: [Segment]) {
      self.id = id
      self.toolName = toolName
      self.segments = segments
    }
  }

  private var entries: [Entry]

  /// Creates a transcript.
  public init(entries: some Sequence<Entry> = []) {
    self.entries = Array(entries)
  }

  private static func newID() -> String { String(UInt64.random(in: 0...UInt64.max), radix: 16) }
}

extension Transcript: RandomAccessCollection {
  public var startIndex: Int { entries.startIndex }
  public var endIndex: Int { entries.endIndex }
  public subscript(position: Int) -> Entry { entries[position] }

  /// Appends entries, and returns them.
  mutating func append(_ new: [Entry]) -> ArraySlice<Entry> {
    entries += new
    return entries.suffix(new.count)
  }

  /// The text of the instructions; empty without instructions.
  var instructions: String {
    compactMap { if case .instructions(let entry) = $0 { entry.segments.text } else { nil } }.joined(separator: "\n\n")
  }

  /// The requests and answers. The model is not told again of earlier calls of tools.
  var messages: [ChappieInputMessage] {
    compactMap { entry in
      switch entry {
      case .prompt(let prompt): .user(prompt.segments.text)
      case .response(let response): .assistant(response.segments.text)
      case .instructions, .toolCalls, .toolOutput: nil
      }
    }
  }
}

extension [Transcript.Segment] {
  /// The segments of a text.
  init(text: String) {
    self = [.text(Transcript.TextSegment(content: text))]
  }

  /// The segments of an answer that was read as a value of `type`.
  init(_ json: ChappieJSONValue, of type: Any.Type) {
    let structure = Transcript.StructuredSegment(source: "\(type)", content: GeneratedContent(json))
    self = json.stringValue.map { Self(text: $0) } ?? [.structure(structure)]
  }

  var text: String {
    map { segment in
      switch segment {
      case .text(let text): text.content
      case .structure(let structure): structure.content.jsonString
      }
    }.joined(separator: "\n")
  }
}
