// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import ChappieSDKRuntime
import Foundation
import Testing

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
    let thread = ChappieThreadSummary(
      id: "a", createdAt: 10, updatedAt: 20, archivedAt: 30, createdAtMicroseconds: 500_000,
      updatedAtMicroseconds: 250_000)
    #expect(thread.creationDate == Date(timeIntervalSince1970: 10.5))
    #expect(thread.updateDate == Date(timeIntervalSince1970: 20.25))
    #expect(thread.archiveDate == Date(timeIntervalSince1970: 30))
    #expect(ChappieThreadSummary(id: "a", createdAt: 1, updatedAt: 1).archiveDate == nil)
    let turn = ChappieTurn(id: "t", recordedAt: 40, recordedAtMicroseconds: 125_000, events: [])
    #expect(turn.recordingDate == Date(timeIntervalSince1970: 40.125))
  }
}
