// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge

/// Counts the shares that applications have of a scarce resource: bytes, turns, objects.
///
/// Each application and all applications together have a bound, and each kind of application may have one. Without a
/// bound for each kind, a large number of unsandboxed programs could leave nothing for sandboxed apps, and the other way
/// round. A reserve is kept for applications that have little or nothing yet, so that one cannot keep the next one from
/// being served.
@GLibActor
final class Budget {
  struct Bounds: Sendable {
    /// The most that one application may have.
    let each: Int
    /// The most that all applications of one kind may have; nil for `all`.
    var kind: Int?
    /// The most that all may have.
    let all: Int
    /// The part of the bound of a kind, or else of `all`, that is reserved for applications with at most `share`.
    let reserve: Int
    /// The most that an application may have with the help of the reserve.
    let share: Int
  }

  /// The reason for a refused lease.
  enum Exhausted: Error, Equatable {
    /// The application has reached its bound, which is this amount.
    case holder(limit: Int)
    /// All applications of its kind, or all of them, have reached their bound.
    case all
  }

  /// An amount that an application has. The amount returns to the budget when the lease ends or is released.
  @GLibActor
  final class Lease {
    private let budget: Budget
    let holder: Application
    private(set) var amount = 0

    fileprivate init(_ budget: Budget, _ holder: Application) {
      self.budget = budget
      self.holder = holder
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
  private var amounts: [Application: Int] = [:]
  private var kindTotals: [Application.Kind: Int] = [:]
  /// The amount that all applications have together.
  private(set) var total = 0

  nonisolated init(_ bounds: Bounds) {
    self.bounds = bounds
  }

  /// The amount that `holder` has.
  func amount(of holder: Application) -> Int { amounts[holder] ?? 0 }

  /// Takes `amount` for `holder`.
  func lease(_ amount: Int, for holder: Application) throws(Exhausted) -> Lease {
    let lease = empty(for: holder)
    try lease.resize(to: amount)
    return lease
  }

  /// A lease of nothing, to be resized.
  func empty(for holder: Application) -> Lease { Lease(self, holder) }

  /// Takes one more for `application`.
  ///
  /// - Throws: `BusError` with `LimitExceeded`.
  func lease(for application: Application, of things: String) throws(BusError) -> Lease {
    do {
      return try lease(1, for: application)
    } catch .holder(let limit) {
      throw BusError(.limitExceeded, "This program has \(limit) \(things), and may have no more: end some first.")
    } catch {
      throw BusError(.limitExceeded, "All programs together have as many \(things) as there may be: try again later.")
    }
  }

  private func add(_ amount: Int, to holder: Application) throws(Exhausted) {
    guard amount > 0 else { return giveBack(-amount, of: holder) }
    let (held, overflows) = self.amount(of: holder).addingReportingOverflow(amount)
    guard !overflows, held <= bounds.each else { throw .holder(limit: bounds.each) }
    let kindTotal = kindTotals[holder.kind] ?? 0
    let free = bounds.kind.map { $0 - kindTotal } ?? bounds.all - total
    let room = held <= bounds.share ? free : free - bounds.reserve
    guard amount <= room, amount <= bounds.all - total else { throw .all }
    amounts[holder] = held
    kindTotals[holder.kind] = kindTotal + amount
    total += amount
  }

  private func giveBack(_ amount: Int, of holder: Application) {
    guard amount > 0 else { return }
    let rest = self.amount(of: holder) - amount
    amounts[holder] = rest > 0 ? rest : nil
    kindTotals[holder.kind, default: 0] -= amount
    total -= amount
  }
}
