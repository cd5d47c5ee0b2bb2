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

  private struct Caller {
    var documents = 0
    /// The round of its last document. In a round, one document of each caller is read.
    var lastRound = 0
  }

  private var callers: [String: Caller] = [:]
  /// In order of arrival.
  private var waiting: [(round: Int, turn: Wait)] = []
  /// The round of the document that is read, or was read last.
  private var round = 0
  private var isReading = false

  /// Runs `body` when it is the turn of the caller for which this task works.
  ///
  /// - Parameter name: the document's name in the error message.
  /// - Throws: ``ChappieClientError/limitExceeded(_:)`` for too many documents; `CancellationError`; the errors of `body`.
  func inTurn<Result: Sendable>(name: String, _ body: () async throws -> Result) async throws -> Result {
    let key = CallerGroup.current ?? ""
    var caller = callers[key] ?? Caller()
    let all = callers.values.reduce(0) { $0 + $1.documents }
    guard caller.documents < (all < Self.limitInAll / 2 ? Self.limit : 1), all < Self.limitInAll else {
      throw ChappieClientError.limitExceeded(
        en("The document \(name) cannot be read now, as others are read: try again."))
    }
    caller.documents += 1
    caller.lastRound = max(caller.lastRound, round) + 1
    callers[key] = caller
    defer {
      let rest = (callers[key]?.documents ?? 1) - 1
      if rest > 0 { callers[key]?.documents = rest } else { callers[key] = nil }
    }
    try await wait(for: caller.lastRound)
    defer { startNext() }
    return try await body()
  }

  private func wait(for round: Int) async throws {
    let turn = Wait()
    waiting.append((round, turn))
    if !isReading { startNext() }
    await turn.valueOrCancelled()
    guard Task.isCancelled else { return }
    if let index = waiting.firstIndex(where: { $0.turn === turn }) {
      waiting.remove(at: index)
    } else {
      startNext()
    }
    throw CancellationError()
  }

  private func startNext() {
    let first = waiting.indices.min { waiting[$0].round < waiting[$1].round }
    isReading = first != nil
    guard let first else { return }
    let document = waiting.remove(at: first)
    round = document.round
    document.turn.finish()
  }
}
