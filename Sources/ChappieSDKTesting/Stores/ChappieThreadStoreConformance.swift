// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import ChappieSDKRuntime
import FoundationEssentials
import GLibBridge
import Synchronization

/// The requirements of every ``ChappieThreadStore``, as a test for your own store.
///
/// ```swift
/// @Test func keepsThreads() async throws {
///   try await ChappieThreadStoreConformance.run { MyStore() }
/// }
/// ```
public enum ChappieThreadStoreConformance {
  /// Checks all requirements. A failed check does not keep the others from running.
  ///
  /// - Parameter makeStore: makes a new, empty store at each call. It must keep threads whose last change was up to half
  ///   an hour ago as they are.
  /// - Throws: ``ChappieThreadStoreViolation`` with everything that was found; the errors of `makeStore`;
  ///   `CancellationError`.
  public static func run(_ makeStore: () async throws -> any ChappieThreadStore) async throws {
    let findings = Findings()
    for (name, check) in ThreadStoreFixture.checks {
      let fixture = ThreadStoreFixture(try await makeStore(), findings)
      do {
        try await check(fixture)()
      } catch is ThreadStoreFixture.NothingListed {
        // It is among the findings.
      } catch {
        try Task.checkCancellation()
        findings.add("The store should not fail in the check '\(name)', and threw \(error).")
      }
    }
    guard findings.all.isEmpty else { throw ChappieThreadStoreViolation(findings: findings.all) }
  }
}

/// The requirements that a store does not meet.
public struct ChappieThreadStoreViolation: LocalizedError, Sendable, CustomStringConvertible {
  /// The expected and the actual behaviour, a sentence for each finding.
  public let findings: [String]
  /// The findings, one on each line.
  public var description: String { findings.joined(separator: "\n") }
  /// Same as ``description``, also as `localizedDescription`.
  public var errorDescription: String? { description }
}

/// What was found so far, each sentence once.
final class Findings: Sendable {
  private let sentences = Mutex<[String]>([])

  var all: [String] { sentences.withLock { $0 } }

  func add(_ sentence: String) {
    sentences.withLock { if !$0.contains(sentence) { $0.append(sentence) } }
  }
}

/// A store under test, with helpers for the checks.
struct ThreadStoreFixture {
  /// A check cannot go on without a summary that is not listed.
  struct NothingListed: Error {}

  let store: any ChappieThreadStore
  private let findings: Findings
  /// The time of the test data, in Unix seconds: recent, so that retention changes nothing.
  let start = UnixTime.now - 1000

  static let checks: KeyValuePairs<String, @Sendable (ThreadStoreFixture) -> @Sendable () async throws -> Void> = [
    "begins empty": beginsEmpty, "creates once": createsOnce, "keeps titles": keepsTitles,
    "keeps turns in order": keepsTurnsInOrder, "keeps every kind of event": keepsEveryKindOfEvent,
    "keeps long turns": keepsLongTurns, "keeps turns that come at once": keepsTurnsThatComeAtOnce,
    "removes the last turn": removesTheLastTurn, "refuses to remove what is no turn": refusesToRemoveWhatIsNoTurn,
    "lists newest first": listsNewestFirst, "lists in pages": listsInPages, "renames": renames,
    "ignores changes without effect": ignoresChangesWithoutEffect, "archives": archives, "unarchives": unarchives,
    "a turn unarchives": aTurnUnarchives, "deletes": deletes, "refuses missing threads": refusesMissingThreads,
    "counts usage": countsUsage,
  ]

  init(_ store: any ChappieThreadStore, _ findings: Findings) {
    self.store = store
    self.findings = findings
  }

  func expect(_ holds: Bool, _ sentence: @autoclosure () -> String) {
    if !holds { findings.add(sentence()) }
  }

  func expect<Value: Equatable>(_ value: Value, _ expected: Value, _ subject: @autoclosure () -> String) {
    expect(value == expected, "\(subject()) should be \(expected), and is \(value).")
  }

  /// Expects `body` to fail with ``ChappieThreadStoreError/noSuchThread(_:)``.
  func expectNoThread(_ subject: String, _ body: () async throws -> Void) async {
    do {
      try await body()
    } catch ChappieThreadStoreError.noSuchThread {
      return
    } catch {
      return expect(false, "\(subject) should throw noSuchThread, and threw \(error).")
    }
    expect(false, "\(subject) should throw noSuchThread, and succeeded.")
  }

  /// Creates a thread, `second` seconds after the start.
  func create(_ id: String, title: String = "", at second: Int64 = 0) async throws {
    let time = start + second
    let moment = ChappieTime(unixSeconds: time)
    try await store.create(ChappieThreadSummary(id: id, title: title, createdAt: moment, updatedAt: moment))
  }

  func turn(_ text: String, at second: Int64 = 0) -> ChappieTurn {
    ChappieTurn(
      id: "turn-\(text)", recordedAt: ChappieTime(unixSeconds: start + second),
      events: [.input(.user(text)), .output(text: "You said \(text).", model: "model", responseID: "resp-\(text)")])
  }

  func expectIDs(
    _ kind: ChappieThreadQuery.Kind, limit: Int? = nil, after: ChappieThreadSummary? = nil, _ expected: [String],
    _ subject: String
  ) async throws {
    let listed = try await store.threads(ChappieThreadQuery(kind, limit: limit, after: after))
    expect(listed.map(\.id), expected, subject)
  }

  func summary(_ id: String) async throws -> ChappieThreadSummary {
    guard let summary = try await store.threads(ChappieThreadQuery(.all)).first(where: { $0.id == id }) else {
      expect(false, "The thread '\(id)' should be listed among all threads.")
      throw NothingListed()
    }
    expect(try await store.summary(of: id) ?? summary, summary, "The summary of a thread")
    return summary
  }
}
