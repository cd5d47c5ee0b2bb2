// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge

/// The running sign-ins that callers have started: who waits for each, and in whose budget it counts.
@GLibActor
final class SignIns {
  /// The object on which a caller has started a sign-in, or joined one.
  enum Holder: Hashable {
    /// Any program uses it and leaves, such as a command: the sign-in goes on until its own end.
    case shared
    /// The sign-in ends with the last such object.
    case opened(ObjectPath)
  }

  private final class Running {
    let session: ChappieAuthSession
    let lease: Budget.Lease
    var holders: Set<Holder>
    /// The calls that wait for the code or the page. One of them may end the sign-in and start another.
    var calls = 0
    var observation: Observation?

    init(_ session: ChappieAuthSession, _ lease: Budget.Lease, _ holders: Set<Holder>) {
      self.session = session
      self.lease = lease
      self.holders = holders
    }
  }

  private let budget = Budget(Limits.runningSignIns)
  private let rate = RateLimit { Limits.signInRate($0) }
  private var running: [SlotIdentity: Running] = [:]

  /// Runs `start`, which starts a sign-in of `session` or joins the running one.
  ///
  /// - Parameter isNew: false if it only joins.
  /// - Throws: `BusError` with `LimitExceeded`; the errors of `start`.
  func start<Shown: Sendable>(
    _ session: ChappieAuthSession, for application: Application, on holder: Holder, isNew: Bool,
    _ start: () async throws -> Shown
  ) async throws -> Shown {
    let slot = SlotIdentity(session.configuration)
    let signIn = try running[slot] ?? begin(session, slot, for: application)
    defer { check(signIn, slot) }
    guard !isNew || rate.allows(application) else {
      throw BusError(.limitExceeded, "This program starts sign-ins too fast: wait a moment before the next.")
    }
    signIn.holders.insert(holder)
    signIn.calls += 1
    defer { signIn.calls -= 1 }
    return try await start()
  }

  private func begin(
    _ session: ChappieAuthSession, _ slot: SlotIdentity, for application: Application
  ) throws(BusError) -> Running {
    let lease = try budget.lease(for: application, of: "sign-ins running")
    // The user may have started one with a click on a notification.
    let signIn = Running(session, lease, session.snapshot.deviceLinkState.isRunning ? [.shared] : [])
    signIn.observation = session.observe { [weak self, weak signIn] _, _ in
      if let signIn { self?.check(signIn, slot) }
    }
    running[slot] = signIn
    return signIn
  }

  /// Ends the part of an object that has been closed.
  func leave(_ object: ObjectPath) {
    for (slot, signIn) in running where signIn.holders.remove(.opened(object)) != nil { check(signIn, slot) }
  }

  private func check(_ signIn: Running, _ slot: SlotIdentity) {
    if signIn.session.snapshot.deviceLinkState.isRunning {
      if signIn.holders.isEmpty { signIn.session.cancelSignInAtOnce() }
    } else if signIn.calls == 0, running[slot] === signIn {
      running[slot] = nil
    }
  }
}
