import GLibBridge

/// The remaining rules of the scenario.
@GLibActor
final class ScenarioPlayer {
  private var rules: [StandInRule] = []

  /// The number of remaining rules. A rule with `"always"` always remains.
  var remaining: Int { rules.count }

  /// Replaces the scenario.
  func load(_ rules: [StandInRule]) {
    self.rules = rules
  }

  /// Uses the next rule for an endpoint; nil if there is none, or if it does not satisfy `condition`.
  func take(
    _ endpoint: StandInEndpoint, where condition: (StandInRule) -> Bool = { _ in true }
  ) -> StandInRule? {
    guard let index = rules.firstIndex(where: { $0.endpoint == endpoint }), condition(rules[index]) else { return nil }
    let rule = rules[index]
    switch rule.times {
    case .always: break
    case .count(1): rules.remove(at: index)
    case .count(let count): rules[index].times = .count(count - 1)
    }
    return rule
  }
}
