// SPDX-License-Identifier: Apache-2.0
import GLibBridge

/// The applications that users have connected. Each has a client id of its own.
@GLibActor
final class Registrations {
  /// What the plan of the user allows an application.
  enum PlanUse: String, CaseIterable, Sendable {
    case enabled
    case notEligible = "not-eligible"
    case limitReached = "limit-reached"
    case unavailable

    /// The name of the refusal of answers.
    var refusal: String? {
      switch self {
      case .enabled: nil
      case .notEligible: "subscription_sharing_user_not_eligible"
      case .limitReached: "subscription_sharing_usage_limit_exceeded"
      case .unavailable: "subscription_sharing_usage_unavailable"
      }
    }
  }

  /// An application of one user.
  struct Registration {
    let clientID: String
    /// The name that the user has seen.
    let name: String
    let user: StandInUser
    let redirectPath: String
    /// The hosts that have signed in.
    var hosts: [String] = []
    /// Whether the user has allowed plan use.
    var allowsPlanUse = true
    var planUse = PlanUse.enabled

    var subject: String { TokenMint.subject(of: user, clientID: clientID) }
  }

  /// The client id of a request for a registration.
  nonisolated static let unregistered = "dynamic_agent_client"

  /// All registrations, in order. A client that loses an issued id registers twice.
  private(set) var all: [Registration] = []

  /// The registration with an issued client id.
  subscript(clientID: String) -> Registration? { all.first { $0.clientID == clientID } }

  /// Registers an application, and returns its client id.
  func issue(name: String, user: StandInUser, redirectPath: String) -> String {
    let id = "oaiapp_" + RandomText.hex(bytes: 16)
    all.append(Registration(clientID: id, name: name, user: user, redirectPath: redirectPath))
    return id
  }

  /// Removes an application, or all if `clientID` is nil.
  func remove(_ clientID: String?) {
    all.removeAll { clientID == nil || $0.clientID == clientID }
  }

  /// Notes that a host has signed in, and the user's decision on plan use.
  func note(host: String, allowsPlanUse: Bool, of clientID: String) {
    for index in places(of: clientID) {
      if !all[index].hosts.contains(host) { all[index].hosts.append(host) }
      all[index].allowsPlanUse = allowsPlanUse
    }
  }

  /// Sets the plan use of an application, or of all if `clientID` is nil.
  ///
  /// - Returns: whether there is such an application.
  func setPlanUse(_ planUse: PlanUse, of clientID: String?) -> Bool {
    let places = places(of: clientID)
    for index in places { all[index].planUse = planUse }
    return !places.isEmpty
  }

  private func places(of clientID: String?) -> [Int] {
    all.indices.filter { clientID == nil || all[$0].clientID == clientID }
  }
}
