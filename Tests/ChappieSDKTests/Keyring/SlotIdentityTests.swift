import Testing

@testable import ChappieSDK

struct SlotIdentityTests {
  private static func identity(_ change: (inout ChappieConfiguration) -> Void) -> SlotIdentity {
    var configuration = ChappieConfiguration()
    change(&configuration)
    return SlotIdentity(configuration)
  }

  @Test func isMadeOfServiceAccountGroupAndApp() {
    let identities = [
      Self.identity { _ in }, Self.identity { $0.keychainService = "other" },
      Self.identity { $0.keychainAccount = "other" },
      Self.identity { $0.keychainAccessGroup = "other" }, Self.identity { $0.ownerAppID = "other" },
    ]
    #expect(Set(identities).count == identities.count)
  }

  @Test func nothingElseMatters() {
    let other = Self.identity {
      $0.model = "other"
      $0.harness = .none
      $0.keychainAccessibility = .afterFirstUnlockThisDeviceOnly
      $0.rateLimitBackoff = .disabled
    }
    #expect(other == Self.identity { _ in })
  }

  /// The members of a group share its slots, whichever of them made one.
  @Test func aGroupsSlotBelongsToNoSingleApp() {
    let first = Self.identity {
      $0.keychainAccessGroup = "group"
      $0.ownerAppID = "org.example.First"
    }
    let second = Self.identity {
      $0.keychainAccessGroup = "group"
      $0.ownerAppID = "org.example.Second"
    }
    #expect(first == second)
    #expect(first.appID == nil)
  }

  /// They share a sign-in. What one of them was told is not the others'.
  @Test func aGroupsMembersHaveThreadsOfTheirOwn() {
    let members = ["org.example.First", "org.example.Second"].map { app in
      var configuration = ChappieConfiguration(keychainAccessGroup: "group")
      configuration.ownerAppID = app
      return SlotIdentity(threadsOf: configuration)
    }
    #expect(members.map(\.appID) == ["org.example.First", "org.example.Second"])
    #expect(SlotIdentity(threadsOf: ChappieConfiguration()) == SlotIdentity(ChappieConfiguration()))
  }
}
