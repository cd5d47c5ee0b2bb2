// SPDX-License-Identifier: Apache-2.0
import Synchronization

@testable import ChappieSDK

/// A slot with a fake store and a fake sign-in method.
@GLibActor
struct SlotFixture {
  let store: FakeStore
  let method: FakeSignIn
  let slot: CredentialSlot
  private let clock = Clock()

  /// The slot's clocks: the time since the machine's start, and the seconds that the time of day is ahead.
  private final class Clock: Sendable {
    let time = Mutex(BootTime(bootID: "this start", seconds: 1000))
    let ahead = Mutex<Int64>(0)
  }

  private static var count = 0

  init(
    _ item: FakeStore.Item = .none, method: FakeSignIn = FakeSignIn(), unused: (any SlotStore<UnusedSignIns>)? = nil
  ) {
    self.method = method
    // Each fixture has its own slot, because slots with the same identity wait for each other.
    Self.count += 1
    let configuration = ChappieConfiguration(
      keychainService: "org.example.tests", keychainAccount: "slot-\(Self.count)")
    store = FakeStore(item)
    slot = CredentialSlot(
      identity: SlotIdentity(configuration), methods: [method], store: store,
      gate: LockGate(unknown: .keyring), unused: unused,
      clock: { [clock] in clock.time.withLock { $0 } })
    let start = Timestamp.now
    method.clock = IssuerClock { [clock] in
      ClockReading(wall: start + clock.ahead.withLock { $0 }, boot: clock.time.withLock { $0 })
    }
  }

  /// Sets the time of day.
  func setClock(ahead: Int64) {
    clock.ahead.withLock { $0 = ahead }
  }

  /// The time of the slot's clock.
  var time: BootTime {
    get { clock.time.withLock { $0 } }
    nonmutating set { clock.time.withLock { $0 = newValue } }
  }

  func pass(seconds: Int64) {
    time = BootTime(bootID: time.bootID, seconds: time.seconds + seconds)
  }

  /// The same slot in a newly started process.
  func restarted() async -> SlotFixture {
    let fixture = SlotFixture(store.item)
    fixture.time = time
    fixture.method.onRefresh = method.onRefresh
    await fixture.slot.restore()
    return fixture
  }

  /// A slot that has read its stored credential, named `old`.
  static func signedIn(isDue: Bool = false) async -> SlotFixture {
    let expiresAt = UnixTime.now + (isDue ? 60 : 3600)
    let fixture = SlotFixture(.credential(.test("old", account: "ada", expiresAt: expiresAt, renewedAt: 100)))
    await fixture.slot.restore()
    return fixture
  }

  /// Signs in, and waits for the end.
  func signIn(_ options: SignInOptions = SignInOptions(applicationName: "")) async {
    _ = try? await slot.startSignIn(options, interaction: .forbidden)
    await until { !$0.deviceLinkState.isRunning }
  }

  /// Makes each refresh wait at a gate. It fails if it is cancelled, as a request would.
  func holdRefresh() -> (started: Wait, gate: Wait) {
    let (started, gate) = (Wait(), Wait())
    method.onRefresh = { _ in
      started.finish()
      await gate.value()
      try Task.checkCancellation()
      return .test("new")
    }
    return (started, gate)
  }

  /// Makes each revocation wait at a gate.
  func holdRevocations() -> (started: Wait, gate: Wait) {
    let (started, gate) = (Wait(), Wait())
    method.onRevoke = {
      started.finish()
      await gate.value()
    }
    return (started, gate)
  }

  /// Waits until the slot's state satisfies `condition`.
  func until(_ condition: @escaping @GLibActor (SlotState) -> Bool) async {
    let wait = Wait()
    let observation = slot.observe { if condition($0.new) { wait.finish() } }
    if condition(slot.state) { wait.finish() }
    await wait.value()
    withExtendedLifetime(observation) {}
  }
}

extension CredentialSlot {
  /// Starts a sign-in with a code under the default rule.
  func startSignIn(
    _ options: SignInOptions = SignInOptions(applicationName: ""), interaction: UserInteraction
  ) async throws -> ChappieDeviceCode {
    try await startSignIn(
      .deviceCode, options, .whenUnlockedThisDeviceOnly, interaction, showing: \.signInStep?.deviceCode)
  }
}
