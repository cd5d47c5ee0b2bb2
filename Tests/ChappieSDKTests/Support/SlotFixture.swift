import GLibBridge

@testable import ChappieSDK

/// A slot over a fake store and a fake sign-in method.
@GLibActor
struct SlotFixture {
  let store: FakeStore
  let method = FakeSignIn()
  let slot: CredentialSlot

  private static var count = 0

  init(_ item: FakeStore.Item = .none) {
    // A slot of its own each: slots with one identity wait for each other.
    Self.count += 1
    let configuration = ChappieConfiguration(
      keychainService: "org.example.tests", keychainAccount: "slot-\(Self.count)")
    store = FakeStore(item)
    slot = CredentialSlot(
      identity: SlotIdentity(configuration), method: method, store: store, gate: LockGate(unknown: .keyring))
  }

  /// Over a stored credential named `old` that was read already.
  static func signedIn(isDue: Bool = false, canBeRenewed: Bool = true) async -> SlotFixture {
    let expiresAt = UnixTime.now + (isDue ? 60 : 3600)
    let fixture = SlotFixture(
      .credential(.test("old", account: "ada", expiresAt: expiresAt, renewedAt: 100, canBeRenewed: canBeRenewed)))
    await fixture.slot.restore()
    return fixture
  }

  /// Waits until the slot's state is as `condition` wants it.
  func until(_ condition: @escaping @GLibActor (SlotState) -> Bool) async {
    let wait = Wait()
    let observation = slot.observe { if condition($0) { wait.finish() } }
    if condition(slot.state) { wait.finish() }
    await wait.value()
    withExtendedLifetime(observation) {}
  }
}

extension CredentialSlot {
  /// Starts a sign-in under the default rule.
  func startSignIn(interaction: SecretServiceClient.Interaction) async throws -> ChappieDeviceCode {
    try await startSignIn(.whenUnlockedThisDeviceOnly, interaction: interaction)
  }
}
