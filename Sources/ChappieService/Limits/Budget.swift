import GLibBridge

/// Counts what holders have of something that is scarce: bytes, turns, objects.
///
/// Each holder has a bound of its own, and all of them together have one. A part of the whole is kept back for those
/// that have little or nothing yet, so that no holder can take what the next one needs to be served at all.
@GLibActor
final class Budget<Holder: Hashable & Sendable> {
  struct Bounds: Sendable {
    /// The most that one holder may have.
    let perHolder: Int
    /// The most that all holders may have together.
    let inAll: Int
    /// How much of `inAll` goes to those alone that have no more than `share`.
    var reserve = 0
    /// How much a holder may have of the reserve.
    var share = 0
  }

  /// Why there is no lease.
  enum Exhausted: Error, Equatable {
    /// The holder has as much as one may have, which is this much.
    case holder(limit: Int)
    /// All holders together have as much as there is.
    case all
  }

  /// An amount that a holder has. It is given back when the lease is let go, or ends before.
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

    /// Changes the amount; nothing changes when there is not enough.
    func resize(to amount: Int) throws(Exhausted) {
      try budget.add(amount - self.amount, to: holder)
      self.amount = amount
    }

    /// Gives everything back.
    func end() {
      budget.giveBack(amount, of: holder)
      amount = 0
    }
  }

  private let bounds: Bounds
  private var amounts: [Holder: Int] = [:]
  /// What all holders have together.
  private(set) var total = 0

  nonisolated init(_ bounds: Bounds) {
    self.bounds = bounds
  }

  /// What `holder` has.
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
