// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

/// The documents that wait to be read. One is read at a time, so that many take no more memory and processors than one.
/// Callers take turns.
@GLibActor
final class DocumentQueue {
  /// The number of documents of one caller that wait or are read.
  nonisolated static let limit = 5
  /// The number of documents of all callers. From half of it on, each caller may have one.
  nonisolated static let limitInAll = 64

  /// The number of documents of each caller.
  private var documents: [String: Int] = [:]
  /// Only one document of each caller waits for the reader, so that callers take turns.
  private let callers = Mutexes<String>()
  private let reader = AsyncMutex()

  /// Runs `body` when it is the turn of the caller for which this task works.
  ///
  /// - Parameter name: the document's name in the error message.
  /// - Throws: ``ChappieClientError/limitExceeded(_:)`` for too many documents; `CancellationError`; the errors of `body`.
  func inTurn<Result: Sendable>(name: String, _ body: () async throws -> Result) async throws -> Result {
    let key = CallerGroup.current ?? ""
    let (own, all) = (documents[key] ?? 0, documents.values.reduce(0, +))
    guard own < (all < Self.limitInAll / 2 ? Self.limit : 1), all < Self.limitInAll else {
      throw ChappieClientError.limitExceeded(
        en("The document \(name) cannot be read now, as others are read: try again."))
    }
    documents[key] = own + 1
    defer {
      let rest = (documents[key] ?? 1) - 1
      documents[key] = rest > 0 ? rest : nil
    }
    return try await callers.withLock(key) { try await reader.withLock(body) }
  }
}
