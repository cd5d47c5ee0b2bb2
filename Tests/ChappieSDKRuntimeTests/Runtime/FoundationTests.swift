// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import Foundation
import Testing

@testable import ChappieSDKRuntime

/// Errors and times of threads as Foundation types.
struct FoundationTests {
  private static let errors: [any Error & CustomStringConvertible] = [
    ChappieThreadStoreError.noSuchThread("a"), ChappieThreadStoreError.full("The disk is full."),
    ChappieRuntimeError.notStored(
      ChappieResponse(outputText: "Hi", responseID: "r", model: "m", usage: ChappieTokenUsage()),
      .full("The disk is full.")),
  ]

  @Test(arguments: errors.indices)
  func theLocalizedDescriptionIsTheDescription(_ index: Int) {
    let error = Self.errors[index]
    #expect((error as any Error).localizedDescription == error.description)
    #expect(error is any LocalizedError)
  }

  @Test func datesHaveFractionsOfASecond() {
    let (created, updated) = (Date(timeIntervalSince1970: 10.5), Date(timeIntervalSince1970: 20.25))
    var thread = ChappieThreadSummary(
      id: "a", createdAt: created, updatedAt: updated, archivedAt: Date(timeIntervalSince1970: 30))
    #expect((thread.createdAt, thread.updatedAt) == (created, updated))
    #expect((thread.createdAtSeconds, thread.createdAtMicroseconds) == (10, 500_000))
    #expect(thread.archivedAt == Date(timeIntervalSince1970: 30))
    thread.archivedAt = nil
    #expect(!thread.isArchived)
    let turn = ChappieTurn(id: "t", recordedAt: Date(timeIntervalSince1970: 40.125), events: [])
    #expect(turn.recordedAt == Date(timeIntervalSince1970: 40.125))
  }

  /// A store with `Date`s keeps each microsecond.
  @Test(arguments: [0, 1, 7, 499_999, 500_000, 999_998, 999_999] as [Int32])
  func datesKeepMicroseconds(_ microseconds: Int32) {
    let turn = ChappieTurn(
      id: "t", recordedAtSeconds: 1_893_456_000, recordedAtMicroseconds: microseconds, events: [])
    var copy = turn
    copy.recordedAt = turn.recordedAt
    #expect(copy == turn)
  }
}
