// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import ChappieSDK

/// Applies every event to every state and compares with ``SlotStateTable``.
struct SlotStateTests {
  @Test func tablesAreComplete() {
    #expect(Set(SlotStateTable.storedAfter.keys) == Set(SlotStateTable.events.map(\.key)))
    for row in SlotStateTable.storedAfter.values { #expect(row.count == SlotStateTable.storedStates.count) }
    #expect(
      SlotStateTable.linkStates.count + 1 == ChappieDeviceLinkState.allCases.count,
      "all but linked, which has its own test")
  }

  @Test func everyEventInEveryStateMatchesTheTables() {
    for (column, (storedName, storedEvents)) in SlotStateTable.storedStates.enumerated() {
      for (link, linkEvents) in SlotStateTable.linkStates {
        for (name, event) in SlotStateTable.events {
          var state = SlotState()
          for event in storedEvents + linkEvents { state.apply(event) }
          #expect(SlotStateTable.storedWord(state.stored) == storedName && state.deviceLinkState == link)
          state.apply(event)
          let place: Comment = "\(name) in \(storedName), \(link)"
          #expect(SlotStateTable.storedWord(state.stored) == SlotStateTable.storedAfter[name]?[column], place)
          #expect(state.deviceLinkState == SlotStateTable.linkAfter(name, from: link), place)
        }
      }
    }
  }

  @Test(arguments: [
    ("unknown", ChappieAuthState.restoring), ("none", .signedOut), ("present", .signedIn), ("ada", .signedIn),
    ("spent", .reauthenticationRequired), ("spent ada", .reauthenticationRequired),
  ])
  func storedValueDeterminesTheState(_ name: String, _ expected: ChappieAuthState) throws {
    let events = try #require(SlotStateTable.storedStates.first { $0.key == name }).value
    for (link, linkEvents) in SlotStateTable.linkStates {
      var state = SlotState()
      for event in events + linkEvents { state.apply(event) }
      #expect(state.state == (link.isRunning ? .signingIn : expected), "\(link)")
      #expect(state.accountInfo == (name.hasSuffix("ada") ? SlotStateTable.ada : nil))
    }
  }

  @Test func linkedChangesOnlyAsInTheTable() {
    for (name, event) in SlotStateTable.events {
      var state = SlotState()
      state.apply(.signedIn(SlotStateTable.ada))
      #expect(state.deviceLinkState == .linked)
      state.apply(event)
      #expect(state.deviceLinkState == SlotStateTable.linkAfter(name, from: .linked), "\(name)")
    }
  }
}
