// SPDX-License-Identifier: Apache-2.0
import GLibBridge

/// The used part of a slot's plan. All clients of the slot share one record, because they share the quota.
@GLibActor
package final class UsageRecord {
  private(set) var latest: ChappieUsageLimitSnapshot? {
    didSet {
      guard latest != oldValue else { return }
      changes.notify(())
    }
  }

  /// The account in the slot. Reports about another account are ignored.
  private var account: ChappieAccountInfo?
  /// Notified after each change.
  let changes = Observers<Void>()
  private var observation: Observation?

  fileprivate init(of slot: CredentialSlot) {
    follow(slot.state)
    observation = slot.observe { [weak self] in self?.follow($0.new) }
  }

  /// Follows changes of the signed-in account. The record is cleared when the account changes.
  private func follow(_ state: SlotState) {
    if let account = state.accountInfo {
      if account.accountID != self.account?.accountID { latest = nil }
      self.account = account
    } else if state.stored == .none {
      account = nil
      latest = nil
    }
  }

  /// Adds the usage report of an answer to `accountID`.
  ///
  /// - Returns: the complete record. Nil when the report is empty or about another account.
  func report(_ report: ChappieUsageLimitSnapshot, of accountID: String?) -> ChappieUsageLimitSnapshot? {
    guard !report.isEmpty, let account, account.accountID == accountID else { return nil }
    let whole = report.filled(from: latest ?? ChappieUsageLimitSnapshot(plan: account.plan))
    latest = whole
    return whole
  }

  /// Replaces the record with a complete report about `accountID`.
  func replace(with whole: ChappieUsageLimitSnapshot, of accountID: String?) {
    guard let account, account.accountID == accountID else { return }
    latest = whole
  }
}

extension CredentialSlot {
  /// The usage record of this slot's plan.
  var usage: UsageRecord { attached { UsageRecord(of: self) } }
}
