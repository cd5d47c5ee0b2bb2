// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge

/// The shares that applications have of a scarce resource.
///
/// Each application, each kind and all applications together have a bound. Without a bound for each kind, a large
/// number of unsandboxed programs could leave nothing for sandboxed apps, and the other way round.
@GLibActor
final class ApplicationBudget {
  struct Bounds: Sendable {
    /// The most that one application may have.
    let each: Int
    /// The most that all applications of one kind may have.
    let kind: Int
    /// The most that all may have.
    let all: Int
    /// The part of a kind's bound that is reserved for applications with at most `share`.
    let reserve: Int
    let share: Int
  }

  /// The share of an application, until the lease is released.
  struct Lease {
    fileprivate let own: Budget<Application>.Lease
    fileprivate let kind: Budget<Application.Kind>.Lease
  }

  private let own: [Application.Kind: Budget<Application>]
  private let kinds: Budget<Application.Kind>

  nonisolated init(_ bounds: Bounds) {
    var own: [Application.Kind: Budget<Application>] = [:]
    for kind in Application.Kind.allCases {
      own[kind] = Budget(
        Budget.Bounds(perHolder: bounds.each, inAll: bounds.kind, reserve: bounds.reserve, share: bounds.share))
    }
    self.own = own
    kinds = Budget(Budget.Bounds(perHolder: bounds.kind, inAll: bounds.all))
  }

  /// Takes one more for `application`.
  ///
  /// - Throws: `BusError` with `LimitExceeded`.
  func lease(for application: Application, of things: String) throws(BusError) -> Lease {
    do {
      guard let budget = own[application.kind] else { throw Budget<Application>.Exhausted.all }
      return Lease(own: try budget.lease(1, for: application), kind: try kinds.lease(1, for: application.kind))
    } catch Budget<Application>.Exhausted.holder(let limit) {
      throw BusError(.limitExceeded, "This program has \(limit) \(things), and may have no more: end some first.")
    } catch {
      throw BusError(.limitExceeded, "All programs together have as many \(things) as there may be: try again later.")
    }
  }
}
