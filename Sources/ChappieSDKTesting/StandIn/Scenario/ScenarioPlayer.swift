import GLibBridge

/// The rules that are still to be played.
@GLibActor
final class ScenarioPlayer {
  private var rules: [StandInRule] = []

  /// How many rules are left; one that always applies is always left.
  var remaining: Int { rules.count }

  /// Replaces the scenario.
  func load(_ rules: [StandInRule]) {
    self.rules = rules
  }

  /// Takes the next rule for an endpoint, where there is one and `condition` holds for it.
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
