// SPDX-License-Identifier: Apache-2.0
import Platform
import Testing

@testable import ChappieSDK

/// What to do with a credential, in each combination of what decides it.
struct CredentialSituationTests {
  private typealias Situation = CredentialSituation

  private static let error = CredentialError.signIn(.network("down"))
  private static let obstacles: [Situation.Obstacle] = [
    .none, .issuerWithoutTime, .issuerUnreachable(error), .keyringLocked(error),
  ]
  private static let ends: [Timestamp?] = [nil, 100, 200, 300]
  /// Before, within the margin of, and after each of the times in `ends`.
  private static let times: [IssuerTime] =
    [50, 100, 102, 103, 150, 200, 202, 203, 300, 303].map { .known($0) }
    + ([(50, 50), (50, 350), (150, 250), (202, 202), (350, 350)] as [(Timestamp, Timestamp)]).map { .guessed($0...$1) }

  private static let validities: [TokenValidity] = ends.flatMap { expiry in
    [100, 200, 300].flatMap { (due: Timestamp) in
      ends.flatMap { keepAlive in
        ends.map {
          TokenValidity(expiresAt: expiry, dueAt: due, keepAliveAt: keepAlive, earliestRefresh: $0)
        }
      }
    }
  }

  private static func forEach(_ body: (Situation) -> Void) {
    for purpose in Situation.Purpose.allCases {
      for refusal in Situation.Refusal.allCases {
        for flags in 0..<16 {
          for validity in validities {
            for time in times {
              for obstacle in obstacles {
                body(
                  Situation(
                    purpose: purpose, isRenewed: flags & 8 != 0, hasPending: flags & 1 != 0, refusal: refusal,
                    isMarked: flags & 2 != 0,
                    redeemsOnce: flags & 4 != 0, validity: validity, time: time, obstacle: obstacle))
              }
            }
          }
        }
      }
    }
  }

  /// Records the first few situations in which `holds` is false.
  private func always(_ rule: String, _ holds: (Situation, CredentialStep) -> Bool) {
    var count = 0
    Self.forEach { situation in
      guard !holds(situation, situation.step) else { return }
      count += 1
      if count <= 3 { Issue.record("\(rule): \(situation.step) of \(situation)") }
    }
    #expect(count == 0)
  }

  private static func isKnown(_ situation: Situation) -> Bool {
    situation.time.isKnown
  }

  private static func isClear(_ situation: Situation) -> Bool {
    if case .none = situation.obstacle { true } else { false }
  }

  // MARK: Redeeming

  @Test func noMarkedTokenIsRedeemed() {
    always("marked") { $1 != .renew || !$0.isMarked }
  }

  @Test func noTokenIsRedeemedBeforeItsTime() {
    always("early") { situation, step in
      guard step == .renew, let earliest = situation.validity.earliestRefresh else { return true }
      let now = situation.redeemsOnce ? situation.time.earliest : situation.time.latest
      return now >= earliest + 3
    }
  }

  /// A wrong clock, here or there, holds up the renewals for a month at most.
  @Test(arguments: [(2_592_000, .wait), (2_592_001, .renew)] as [(Int64, CredentialStep)])
  func aTimeThatIsTooFarIsNone(_ seconds: Int64, _ step: CredentialStep) {
    let now: Timestamp = 1_800_000_000
    let situation = Situation(
      purpose: .replacement, isRenewed: false, hasPending: false, refusal: .none, isMarked: false, redeemsOnce: true,
      validity: TokenValidity(dueAt: now, earliestRefresh: now + seconds), time: .known(now))
    #expect(situation.step == step)
  }

  @Test func aServerThatRedeemsOnceIsAskedForItsTimeFirst() {
    always("uncertain") { situation, step in
      guard step == .renew || step == .giveUp, situation.redeemsOnce, !Self.isKnown(situation) else { return true }
      if step == .giveUp, situation.purpose == .replacement || situation.refusal == .old { return true }
      if case .issuerWithoutTime = situation.obstacle { return true }
      return false
    }
  }

  @Test func theTimeIsAskedForOnce() {
    always("asked") { situation, step in
      step != .askTime || situation.redeemsOnce && !Self.isKnown(situation) && Self.isClear(situation)
    }
  }

  @Test func nothingIsRedeemedWhilePendingRefusedOrHindered() {
    always("pending") { ($1 == .storePending) == $0.hasPending }
    always("refused") { $1 != .renew || $0.refusal == .none || $0.refusal == .old && $0.purpose != .upkeep }
    always("locked") { situation, step in
      if case .keyringLocked = situation.obstacle { step != .renew } else { true }
    }
  }

  @Test func whatNobodyNeedsIsNotRedeemed() {
    always("needless") { situation, step in
      guard step == .renew, situation.refusal == .none else { return true }
      let (validity, latest) = (situation.validity, situation.time.latest)
      return switch situation.purpose {
      case .request: validity.dueAt <= latest || validity.isExpired(at: latest)
      case .replacement: true
      case .upkeep: validity.keepAliveAt.map { $0 <= latest } ?? false
      }
    }
  }

  @Test func oneRefreshIsEnoughForAllProcesses() {
    always("renewed") { situation, step in
      guard step == .renew, situation.isRenewed, situation.purpose == .request else { return true }
      return situation.refusal == .old || situation.validity.isExpired(at: situation.time.earliest)
    }
  }

  // MARK: Using

  @Test func noDeadTokenIsUsed() {
    always("dead") { situation, step in
      guard step == .use, situation.purpose != .upkeep else { return true }
      return situation.purpose == .request && situation.refusal == .none
        && !situation.validity.isExpired(at: situation.time.earliest)
    }
  }

  @Test func upkeepDisturbsNobody() {
    always("upkeep") { situation, step in
      situation.purpose != .upkeep || [.use, .storePending, .askTime, .renew, .fail(Self.error)].contains(step)
    }
  }

  // MARK: Errors

  @Test func aSignInEndsOnlyForAReason() {
    always("given up") { situation, step in
      guard step == .giveUp else { return true }
      return situation.isMarked && situation.purpose != .upkeep
        && (situation.purpose == .replacement || situation.refusal == .old
          || situation.validity.isExpired(at: situation.time.earliest)
          || !situation.redeemsOnce && situation.validity.isExpired(at: situation.time.latest))
    }
    always("asked user") { $1 != .askUser || $0.refusal == .recent || $0.refusal == .final }
    always("refused for good") { situation, step in
      guard situation.refusal == .recent || situation.refusal == .final, !situation.hasPending else { return true }
      return step == (situation.purpose == .upkeep ? .use : .askUser)
    }
  }

  @Test func anErrorNamesWhatIsInTheWay() {
    always("failed") { situation, step in
      guard step == .fail(Self.error) else { return true }
      return switch situation.obstacle {
      case .none, .issuerWithoutTime: false
      case .issuerUnreachable: !Self.isKnown(situation)
      case .keyringLocked: true
      }
    }
    always("waited") { situation, step in
      guard step == .wait else { return true }
      return situation.validity.earliestRefresh.map { situation.time.earliest < $0 + 3 } ?? false
    }
  }

  /// A guess is never treated otherwise than the same time would be, unless the issuer is asked first.
  @Test func aGuessDecidesNothingThatATimeWouldNot() {
    always("guessed") { situation, step in
      let time = situation.time
      guard !time.isKnown, time.earliest == time.latest, step != .askTime else { return true }
      if case .issuerUnreachable = situation.obstacle { return step != .renew }
      var known = situation
      known.time = .known(time.earliest)
      return known.step == step
    }
  }
}
