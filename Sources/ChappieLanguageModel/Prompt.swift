// SPDX-License-Identifier: Apache-2.0
import ChappieSDK

/// A text for the model: a request, or what it is told before the first one.
public struct Prompt: Sendable, Hashable {
  /// The text that is sent.
  public let text: String
  /// The error of a part that could not be encoded. The text has its sentence.
  let failure: (any Error)?

  /// Creates a prompt from a value with a text for the model.
  public init(_ content: some PromptRepresentable) {
    self = content.promptRepresentation
  }

  /// Creates a prompt from parts, with a line break between them.
  ///
  /// - Throws: the error of `content`.
  public init(@PromptBuilder _ content: () throws -> Prompt) rethrows {
    self = try content()
  }

  init(text: String, failure: (any Error)? = nil) {
    self.text = text
    self.failure = failure
  }

  public static func == (left: Prompt, right: Prompt) -> Bool { left.text == right.text }

  public func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

/// What the model is told before the first request. They are written as a prompt is.
public typealias Instructions = Prompt
/// A part of instructions.
public typealias InstructionsRepresentable = PromptRepresentable
/// Builds instructions from parts.
public typealias InstructionsBuilder = PromptBuilder

/// A value with a text for the model: a part of a prompt, or the output of a tool.
public protocol PromptRepresentable: SendableMetatype {
  /// The text. By default it is the value's JSON, for a value that can be encoded. If that fails, the output of a tool
  /// ends the request with ``LanguageModelSession/ToolCallError``, and a prompt has the error's sentence.
  @PromptBuilder var promptRepresentation: Prompt { get }
}

// The getters have a `return`, because the requirement's builder would call them again without one.

extension PromptRepresentable where Self: Encodable {
  public var promptRepresentation: Prompt {
    do {
      return Prompt(text: try ChappieJSONValue(encoding: self).json)
    } catch {
      return Prompt(text: error.sentence, failure: error)
    }
  }
}

extension Prompt: PromptRepresentable {
  public var promptRepresentation: Prompt { return self }
}

extension String: PromptRepresentable {
  public var promptRepresentation: Prompt { return Prompt(text: self) }
}

extension Bool: PromptRepresentable {}
extension Int: PromptRepresentable {}
extension Double: PromptRepresentable {}

extension Array: PromptRepresentable where Element: PromptRepresentable {
  public var promptRepresentation: Prompt { return PromptBuilder.buildArray(map(\.promptRepresentation)) }
}

extension Optional: PromptRepresentable where Wrapped: PromptRepresentable {
  public var promptRepresentation: Prompt { return PromptBuilder.buildOptional(self?.promptRepresentation) }
}

/// Builds a prompt from parts.
@resultBuilder
public enum PromptBuilder {
  /// The prompt of one line.
  public static func buildExpression(_ part: some PromptRepresentable) -> Prompt { part.promptRepresentation }
  /// The parts, one on each line.
  public static func buildBlock(_ parts: Prompt...) -> Prompt { buildArray(parts) }
  /// The part of an `if` without `else`, or nothing.
  public static func buildOptional(_ part: Prompt?) -> Prompt { part ?? Prompt(text: "") }
  /// The part of an `if` that holds.
  public static func buildEither(first part: Prompt) -> Prompt { part }
  /// The part of its `else`.
  public static func buildEither(second part: Prompt) -> Prompt { part }
  /// The parts of a `for`, one on each line.
  public static func buildArray(_ parts: [Prompt]) -> Prompt {
    Prompt(
      text: parts.map(\.text).filter { !$0.isEmpty }.joined(separator: "\n"),
      failure: parts.lazy.compactMap(\.failure).first)
  }
}
