import GLibBridge

/// What is known of the use of a slot's plan: by all its clients together, since one's answers use up the other's.
@GLibActor
package final class UsageRecord {
  private(set) var latest: ChappieUsageLimitSnapshot? {
    didSet {
      guard latest != oldValue else { return }
      observers.notify(())
    }
  }

  /// Whose sign-in is in the slot; what is reported of another's is not for it.
  private var account: ChappieAccountInfo?
  private let observers = Observers<Void>()
  private var observation: Observation?

  fileprivate init(of slot: CredentialSlot) {
    follow(slot.state)
    observation = slot.observe { [weak self] in self?.follow($0.new) }
  }

  /// Follows whose sign-in it is. What is known goes with the account that it is about.
  private func follow(_ state: SlotState) {
    if let account = state.accountInfo {
      if account.accountID != self.account?.accountID { latest = nil }
      self.account = account
    } else if state.stored == .none {
      account = nil
      latest = nil
    }
  }

  /// Takes what the backend told `accountID` along with an answer.
  ///
  /// - Returns: all that is known now; nil when the report tells nothing, or is about another account.
  func report(_ report: ChappieUsageLimitSnapshot, of accountID: String?) -> ChappieUsageLimitSnapshot? {
    guard !report.isEmpty, let account, account.accountID == accountID else { return nil }
    let whole = report.filled(from: latest ?? ChappieUsageLimitSnapshot(plan: account.plan))
    latest = whole
    return whole
  }

  /// Takes everything that there is to know of `accountID`.
  func replace(with whole: ChappieUsageLimitSnapshot, of accountID: String?) {
    guard let account, account.accountID == accountID else { return }
    latest = whole
  }

  // MARK: Observing

  /// Calls `observer` after each change, for as long as the result is kept.
  func observe(_ observer: @escaping @GLibActor () -> Void) -> Observation {
    observers.observe(observer)
  }
}

extension CredentialSlot {
  /// What is known of the use of this slot's plan.
  var usage: UsageRecord { attached { UsageRecord(of: self) } }
}
