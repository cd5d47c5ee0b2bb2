// SPDX-License-Identifier: Apache-2.0
import GLibBridge

/// Counts the shares that holders have of a scarce resource: bytes, turns, objects.
///
/// Each holder has a bound, and all holders together have one. A reserve is kept for holders that have little or
/// nothing yet, so that one holder cannot keep the next one from being served.
@GLibActor
final class Budget<Holder: Hashable & Sendable> {
  struct Bounds: Sendable {
    /// The most that one holder may have.
    let perHolder: Int
    /// The most that all holders may have together.
    let inAll: Int
    /// The part of `inAll` that is reserved for holders with at most `share`.
    var reserve = 0
    /// The most that a holder may have with the help of the reserve.
    var share = 0
  }

  /// The reason for a refused lease.
  enum Exhausted: Error, Equatable {
    /// The holder has reached its bound, which is this amount.
    case holder(limit: Int)
    /// All holders together have reached their bound.
    case all
  }

  /// An amount that a holder has. The amount returns to the budget when the lease ends or is released.
  @GLibActor
  final class Lease {
    private let budget: Budget
    let holder: Holder
    private(set) var amount: Int

    fileprivate init(_ budget: Budget, _ holder: Holder, _ amount: Int) {
      self.budget = budget
      self.holder = holder
      self.amount = amount
    }

    isolated deinit {
      end()
    }

    /// Changes the amount. A refusal leaves it as it is.
    func resize(to amount: Int) throws(Exhausted) {
      try budget.add(amount - self.amount, to: holder)
      self.amount = amount
    }

    /// Returns the whole amount.
    func end() {
      budget.giveBack(amount, of: holder)
      amount = 0
    }
  }

  private let bounds: Bounds
  private var amounts: [Holder: Int] = [:]
  /// The amount that all holders have together.
  private(set) var total = 0

  nonisolated init(_ bounds: Bounds) {
    self.bounds = bounds
  }

  /// The amount that `holder` has.
  func amount(of holder: Holder) -> Int { amounts[holder] ?? 0 }

  /// Takes `amount` for `holder`.
  func lease(_ amount: Int, for holder: Holder) throws(Exhausted) -> Lease {
    try add(amount, to: holder)
    return Lease(self, holder, amount)
  }

  private func add(_ amount: Int, to holder: Holder) throws(Exhausted) {
    guard amount > 0 else { return giveBack(-amount, of: holder) }
    let (held, overflows) = self.amount(of: holder).addingReportingOverflow(amount)
    guard !overflows, held <= bounds.perHolder else { throw .holder(limit: bounds.perHolder) }
    let room = held <= bounds.share ? bounds.inAll : bounds.inAll - bounds.reserve
    guard amount <= room - total else { throw .all }
    amounts[holder] = held
    total += amount
  }

  private func giveBack(_ amount: Int, of holder: Holder) {
    guard amount > 0 else { return }
    let rest = self.amount(of: holder) - amount
    amounts[holder] = rest > 0 ? rest : nil
    total -= amount
  }
}
