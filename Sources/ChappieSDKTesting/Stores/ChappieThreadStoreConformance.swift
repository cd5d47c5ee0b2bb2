// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import ChappieSDKRuntime
import FoundationEssentials
import GLibBridge

/// The requirements of every ``ChappieThreadStore``, as a test for your own store.
///
/// ```swift
/// @Test func keepsThreads() async throws {
///   try await ChappieThreadStoreConformance.run { MyStore() }
/// }
/// ```
public enum ChappieThreadStoreConformance {
  /// Checks all requirements.
  ///
  /// - Parameter makeStore: makes a new, empty store with the default retention policy at each call.
  /// - Throws: the first ``ChappieThreadStoreViolation``; the errors of `makeStore`.
  public static func run(_ makeStore: () async throws -> any ChappieThreadStore) async throws {
    for check in ThreadStoreFixture.checks { try await check(ThreadStoreFixture(try await makeStore()))() }
  }
}

/// A requirement that a store does not meet.
public struct ChappieThreadStoreViolation: LocalizedError, Sendable, CustomStringConvertible {
  /// The expected and the actual behaviour, in a sentence.
  public let description: String
  public var errorDescription: String? { description }
}

/// A store under test, with helpers for the checks.
struct ThreadStoreFixture {
  let store: any ChappieThreadStore
  /// The time of the test data, in Unix seconds: recent, so that retention changes nothing.
  let start = UnixTime.now - 1000

  static let checks: [@Sendable (ThreadStoreFixture) -> @Sendable () async throws -> Void] = [
    beginsEmpty, createsOnce, keepsTitles, keepsTurnsInOrder, keepsEveryKindOfEvent, keepsLongTurns,
    keepsTurnsThatComeAtOnce, listsNewestFirst, listsInPages, renames, ignoresChangesWithoutEffect,
    archives, unarchives, aTurnUnarchives,
    deletes, refusesMissingThreads, countsUsage,
  ]

  init(_ store: any ChappieThreadStore) {
    self.store = store
  }

  func expect(_ holds: Bool, _ sentence: @autoclosure () -> String) throws {
    guard holds else { throw ChappieThreadStoreViolation(description: sentence()) }
  }

  func expect<Value: Equatable>(_ value: Value, _ expected: Value, _ subject: @autoclosure () -> String) throws {
    try expect(value == expected, "\(subject()) should be \(expected), and is \(value).")
  }

  /// Expects `body` to fail with ``ChappieThreadStoreError/noSuchThread(_:)``.
  func expectNoThread(_ subject: String, _ body: () async throws -> Void) async throws {
    do {
      try await body()
    } catch ChappieThreadStoreError.noSuchThread {
      return
    } catch {
      try expect(false, "\(subject) should throw noSuchThread, and threw \(error).")
    }
    try expect(false, "\(subject) should throw noSuchThread, and succeeded.")
  }

  /// Creates a thread, `second` seconds after the start.
  func create(_ id: String, title: String = "", at second: Int64 = 0) async throws {
    let time = start + second
    try await store.create(ChappieThreadSummary(id: id, title: title, createdAt: time, updatedAt: time))
  }

  func turn(_ text: String, at second: Int64 = 0) -> ChappieTurn {
    ChappieTurn(
      id: "turn-\(text)", recordedAt: start + second,
      events: [.input(.user(text)), .output(text: "You said \(text).", model: "model", responseID: "resp-\(text)")])
  }

  func expectIDs(
    _ kind: ChappieThreadQuery.Kind, limit: Int? = nil, after: ChappieThreadSummary? = nil, _ expected: [String],
    _ subject: String
  ) async throws {
    let listed = try await store.threads(ChappieThreadQuery(kind, limit: limit, after: after))
    try expect(listed.map(\.id), expected, subject)
  }

  func summary(_ id: String) async throws -> ChappieThreadSummary {
    guard let summary = try await store.threads(ChappieThreadQuery(.all)).first(where: { $0.id == id }) else {
      throw ChappieThreadStoreViolation(description: "The thread '\(id)' should be listed among all threads.")
    }
    try expect(try await store.summary(of: id) ?? summary, summary, "The summary of a thread")
    return summary
  }
}
