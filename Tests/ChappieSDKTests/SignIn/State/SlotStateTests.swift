// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import ChappieSDK

/// Applies every event to every state and compares with ``SlotStateTable``.
struct SlotStateTests {
  @Test func tablesAreComplete() {
    #expect(Set(SlotStateTable.storedAfter.keys).isSubset(of: SlotStateTable.events.map(\.name)))
    for row in SlotStateTable.storedAfter.values { #expect(row.count == SlotStateTable.storedStates.count) }
    #expect(
      SlotStateTable.linkStates.count + 1 == ChappieDeviceLinkState.allCases.count,
      "all but linked, which has its own test")
  }

  @Test func everyEventInEveryStateMatchesTheTables() {
    for (column, (storedName, storedEvents)) in SlotStateTable.storedStates.enumerated() {
      for (link, linkEvents) in SlotStateTable.linkStates {
        for (name, event, _) in SlotStateTable.events {
          var state = SlotState()
          for event in storedEvents + linkEvents { state.apply(event) }
          #expect(SlotStateTable.storedWord(state.stored) == storedName && state.deviceLinkState == link)
          #expect(state.state == (link.isRunning ? .signingIn : SlotStateTable.shown[storedName]))
          #expect(state.accountInfo == (storedName.hasSuffix("ada") ? SlotStateTable.ada : nil))
          state.apply(event)
          let place: Comment = "\(name) in \(storedName), \(link)"
          let after = SlotStateTable.storedAfter[name]?[column] ?? storedName
          #expect(SlotStateTable.storedWord(state.stored) == after, place)
          #expect(state.deviceLinkState == SlotStateTable.linkAfter(name, from: link), place)
        }
      }
    }
  }

  @Test func linkedChangesOnlyAsInTheTable() {
    for (name, event, _) in SlotStateTable.events {
      var state = SlotState()
      state.apply(.signedIn(SlotStateTable.ada))
      #expect(state.deviceLinkState == .linked)
      state.apply(event)
      #expect(state.deviceLinkState == SlotStateTable.linkAfter(name, from: .linked), "\(name)")
    }
  }
}
