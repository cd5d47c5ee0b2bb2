// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

@testable import ChappieSDK

/// The latest usage of the signed-in account's plan.
@Suite(.timeLimit(.minutes(1)))
@GLibActor
struct UsageRecordTests {
  private static func used(_ percent: Double) -> ChappieUsageLimitSnapshot {
    ChappieUsageLimitSnapshot(primary: ChappieUsageWindow(usedPercent: percent, windowMinutes: 300))
  }

  @Test func remembersTheLatestReport() async {
    let slot = await SlotFixture.signedIn().slot
    // Another account's reports are ignored.
    #expect(slot.usage.report(Self.used(1), of: "bob") == nil)
    slot.usage.replace(with: Self.used(1), of: nil)
    #expect(slot.usage.latest == nil)
    #expect(slot.usage.report(Self.used(1), of: "ada") == Self.used(1))
    #expect(slot.usage.report(Self.used(2), of: "ada") == Self.used(2))
    #expect(slot.usage.report(ChappieUsageLimitSnapshot(), of: "ada") == nil)
    #expect(slot.usage.latest == Self.used(2))
    // The usage endpoint replaces everything.
    let whole = ChappieUsageLimitSnapshot(plan: ChappiePlan(rawValue: "pro"))
    slot.usage.replace(with: whole, of: "ada")
    #expect(slot.usage.latest == whole)
  }

  @Test func reportKeepsOmittedPlanAndCredits() async {
    let slot = await SlotFixture.signedIn().slot
    let plan = ChappiePlan(rawValue: "plus")
    let credits = ChappieUsageCredits(hasCredits: true, unlimited: false)
    slot.usage.replace(with: ChappieUsageLimitSnapshot(plan: plan, secondary: Self.used(9).primary), of: "ada")
    _ = slot.usage.report(Self.used(1), of: "ada")
    // A report contains all windows, so a missing window is gone.
    #expect(slot.usage.latest == ChappieUsageLimitSnapshot(plan: plan, primary: Self.used(1).primary))
    _ = slot.usage.report(ChappieUsageLimitSnapshot(credits: credits), of: "ada")
    #expect(
      slot.usage.latest == ChappieUsageLimitSnapshot(plan: plan, primary: Self.used(1).primary, credits: credits))
  }

  @Test func signOutForgetsTheUsage() async throws {
    let slot = await SlotFixture.signedIn().slot
    _ = slot.usage.report(Self.used(1), of: "ada")
    try await slot.signOut(interaction: .forbidden)
    #expect(slot.usage.latest == nil)
    // A running turn has no account to report about.
    #expect(slot.usage.report(Self.used(2), of: "ada") == nil)
    #expect(slot.usage.latest == nil)
  }

  @Test func anotherAccountForgetsTheUsage() async {
    let fixture = await SlotFixture.signedIn()
    _ = fixture.slot.usage.report(Self.used(1), of: "ada")
    // The sign-in may be over before its code is read.
    _ = try? await fixture.slot.startSignIn(interaction: .forbidden)
    await fixture.until { $0.deviceLinkState == .linked }
    #expect(fixture.slot.usage.latest == nil)
    #expect(fixture.slot.usage.report(Self.used(2), of: "bob") == Self.used(2))
  }

  @Test func refreshAndLockKeepTheUsage() async throws {
    let fixture = await SlotFixture.signedIn()
    _ = fixture.slot.usage.report(Self.used(1), of: "ada")
    fixture.method.onRefresh = { _ in .test("new", account: "ada") }
    _ = try await fixture.slot.accessGrant(insteadOf: try await fixture.slot.accessGrant())
    fixture.store.item = .locked
    await fixture.slot.restore()
    #expect(fixture.slot.usage.latest == Self.used(1))
  }

  @Test func notifiesOnlyAboutChanges() async throws {
    let slot = await SlotFixture.signedIn().slot
    var count = 0
    var observation: Observation? = slot.usage.changes.observe { count += 1 }
    _ = slot.usage.report(Self.used(1), of: "ada")
    _ = slot.usage.report(Self.used(1), of: "ada")
    #expect(count == 1)
    _ = slot.usage.report(Self.used(2), of: "ada")
    #expect(count == 2)
    withExtendedLifetime(observation) {}
    observation = nil
    _ = slot.usage.report(Self.used(3), of: "ada")
    #expect(count == 2)
  }
}
