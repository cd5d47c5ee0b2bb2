// SPDX-License-Identifier: Apache-2.0
import ChappieSDK

/// A tool that the model may call during a request of a session.
///
/// The session runs the calls of an answer concurrently, outside of any actor, for a minute each at most, and tells the
/// model their outputs. An error that a tool throws ends the request with ``LanguageModelSession/ToolCallError``.
public protocol Tool<Arguments, Output>: Sendable {
  /// The arguments of a call. With ``GeneratedContent`` the tool has to write its own ``parameters``.
  associatedtype Arguments: Generable
  /// The output of a call, which the model reads.
  associatedtype Output: PromptRepresentable

  /// The name by which the model calls the tool: 1 to 64 of A to Z, a to z, 0 to 9, `_` and `-`. By default it is the
  /// name of the type.
  var name: String { get }
  /// Tells the model what the tool does, and when to use it.
  var description: String { get }
  /// The schema of the arguments, which are an object. By default it is derived from ``Arguments``. Its error is that of
  /// the session's requests: ``LanguageModelError/unsupportedGenerationGuide(_:)``.
  var parameters: GenerationSchema { get throws }

  /// Runs a call.
  func call(arguments: Arguments) async throws -> Output
}

extension Tool {
  public var name: String { String(describing: Self.self) }
  public var parameters: GenerationSchema { get throws { try ChappieSchema.of(Arguments.self) } }

  /// This tool for the client.
  ///
  /// - Throws: the error of ``parameters``.
  func hostTool() throws -> ChappieHostTool {
    let manifest = ChappieHarnessTool(name: name, description: description, schema: try parameters)
    return ChappieHostTool(
      manifest,
      decoding: { (arguments: Arguments) in
        do {
          let output = try await self.call(arguments: arguments).promptRepresentation
          if let failure = output.failure { throw failure }
          return ChappieToolResult(output: output.text)
        } catch let error where !(error is CancellationError) {
          throw TurnEndingError(LanguageModelSession.ToolCallError(tool: self, underlyingError: error))
        }
      })
  }
}
