// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge

/// The lease for the memory of a running turn, as a sum of its parts.
@GLibActor
final class TurnMemory {
  let lease: MemoryBudget.Lease
  private let budget: MemoryBudget
  /// The bytes that the caller sent with the call or as the question.
  private var sent: Int
  /// The bytes of a line that has not ended.
  private var line = 0
  /// The bytes of results that came before their calls wait for them.
  private var early = 0
  /// The bytes that the engine holds: requests, images and the answer.
  private var engine: Int

  /// - Parameters:
  ///   - sent: the bytes that the caller sent with the call.
  ///   - engine: the bytes that the engine will need at least.
  /// - Throws: ``ChappieClientError/limitExceeded(_:)``
  init(_ budget: MemoryBudget, for application: Application, sent: Int, engine: Int) throws(ChappieClientError) {
    self.budget = budget
    self.sent = MemoryBudget.callOverhead + sent
    self.engine = engine
    lease = try budget.lease(self.sent + engine, for: application)
  }

  /// Adds `bytes` that the caller sent, in place of the line that held them.
  ///
  /// - Throws: as ``init(_:for:sent:engine:)``, as the others do.
  func add(sent bytes: Int) throws(ChappieClientError) {
    try resize(sent: sent + bytes, line: 0, engine: engine)
  }

  func set(early bytes: Int) throws(ChappieClientError) {
    try budget.resize(lease, to: sent + line + engine + bytes)
    early = bytes
  }

  func set(line bytes: Int) throws(ChappieClientError) {
    try resize(sent: sent, line: bytes, engine: engine)
  }

  func set(engine bytes: Int) throws(ChappieClientError) {
    try resize(sent: sent, line: line, engine: bytes)
  }

  func add(engine bytes: Int) throws(ChappieClientError) {
    try set(engine: engine + bytes)
  }

  private func resize(sent: Int, line: Int, engine: Int) throws(ChappieClientError) {
    try budget.resize(lease, to: sent + line + engine + early)
    (self.sent, self.line, self.engine) = (sent, line, engine)
  }
}
