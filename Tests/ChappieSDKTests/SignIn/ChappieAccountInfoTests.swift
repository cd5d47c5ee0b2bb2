// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import Testing

struct ChappieAccountInfoTests {
  /// Every plan of protocol.md, 2.1.
  @Test(arguments: [
    ("free", "Free"), ("go", "Go"), ("plus", "Plus"), ("pro", "Pro"), ("prolite", "Pro Lite"), ("team", "Team"),
    ("self_serve_business_prolite", "Business"), ("self_serve_business_usage_based", "Business"),
    ("business", "Business"),
    ("ent26", "Enterprise"), ("enterprise_cbp_automation", "Enterprise"), ("enterprise_cbp_usage_based", "Enterprise"),
    ("enterprise", "Enterprise"), ("hc", "Enterprise"), ("edu", "Edu"), ("education", "Edu"), ("edu_plus", "Edu"),
    ("edu_pro", "Edu"), ("PLUS", "Plus"), ("brand_new", "brand_new"),
  ])
  func plansHaveDisplayNames(_ rawValue: String, _ name: String) {
    #expect(ChappiePlan(rawValue: rawValue).displayName == name)
    #expect(ChappiePlan(rawValue: rawValue).rawValue == rawValue)
  }
}

struct ChappieAuthStateTests {
  /// The bus uses the same words, so a change of one breaks scripts.
  @Test func statesKeepTheirWords() {
    #expect(
      ChappieAuthState.allCases.map(\.rawValue)
        == ["restoring", "signed-out", "signing-in", "signed-in", "reauthentication-required"])
    let running = ["requesting-code", "waiting-for-approval", "waiting-for-browser", "exchanging", "verifying"]
    #expect(
      ChappieDeviceLinkState.allCases.map(\.rawValue)
        == ["idle"] + running + ["linked", "declined", "expired", "cancelled", "failed"])
    #expect(ChappieDeviceLinkState.allCases.filter(\.isRunning).map(\.rawValue) == running)
  }
}
