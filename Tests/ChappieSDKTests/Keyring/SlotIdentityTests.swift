// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import ChappieSDK

struct SlotIdentityTests {
  private static func identity(_ change: (inout ChappieConfiguration) -> Void) -> SlotIdentity {
    var configuration = ChappieConfiguration()
    change(&configuration)
    return SlotIdentity(configuration)
  }

  /// Programs with this library have their own slots, separate from the desktop user's and from a sandboxed app's.
  @Test func applicationsHaveSeparateSlots() throws {
    let identities = [
      Self.identity { _ in }, Self.identity { $0.keychainService = "other" },
      Self.identity { $0.keychainAccount = "other" }, Self.identity { $0.keychainAccessGroup = "other" },
      Self.identity { $0.applicationID = .desktopUser },
      Self.identity { $0.applicationID = .sandboxed("org.example.App") },
      Self.identity { $0.applicationID = .sandboxed("other") },
      try SlotIdentity(ChappieConfiguration(applicationID: ChappieApplicationID("org.example.App"))),
      try SlotIdentity(ChappieConfiguration(applicationID: ChappieApplicationID("org.example.Other"))),
    ]
    #expect(Set(identities).count == identities.count)
    #expect(Self.identity { $0.applicationID = .program } == identities[0])
    let other = Self.identity {
      $0.model = "other"
      $0.harness = .none
      $0.keychainAccessibility = .afterFirstUnlockThisDeviceOnly
      $0.rateLimitBackoff = .disabled
    }
    #expect(other == identities[0])
  }

  /// Old versions, without slots for programs, have stored these attributes. They must always be found.
  @Test func desktopUsersSlotIsUnchanged() {
    let identity = Self.identity { $0.applicationID = .desktopUser }
    #expect(identity.appID == nil)
    let item = ["service": "com.chappie.sdk", "account": "default", "access-group": "", "app-id": "", "version": "2"]
    #expect(identity.owns(item))
    #expect(!Self.identity { _ in }.owns(item))
    #expect(identity.fingerprint(purpose: "org.chappie slot lock") == "a8b07dd676168cbf7a8418519b3afa5f")
  }

  /// All members of a group share its slots, no matter which member made one. They do not share their threads.
  @Test func groupSharesItsSlotAndNotItsThreads() {
    let members = ["org.example.First", "org.example.Second"].map { app in
      var configuration = ChappieConfiguration(keychainAccessGroup: "group")
      configuration.applicationID = .sandboxed(app)
      return configuration
    }
    #expect(SlotIdentity(members[0]) == SlotIdentity(members[1]))
    #expect(SlotIdentity(members[0]).appID == nil)
    let threads = members.map { SlotIdentity(threadsOf: $0).appID }
    #expect(threads == ["org.example.First", "org.example.Second"])
    #expect(SlotIdentity(threadsOf: ChappieConfiguration()) == SlotIdentity(ChappieConfiguration()))
  }
}
