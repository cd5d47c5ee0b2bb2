// SPDX-License-Identifier: Apache-2.0
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
        ends.map { TokenValidity(expiresAt: expiry, dueAt: due, keepAliveAt: keepAlive, earliestRefresh: $0) }
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
                    isMarked: flags & 2 != 0, redeemsOnce: flags & 4 != 0, validity: validity, time: time,
                    obstacle: obstacle))
              }
            }
          }
        }
      }
    }
  }

  /// Calls `always` for each rule that says something about a situation and its step.
  private static func apply(_ situation: Situation, _ step: CredentialStep, _ always: (String, Bool) -> Void) {
    let (purpose, refusal, time) = (situation.purpose, situation.refusal, situation.time)
    let (validity, redeemsOnce) = (situation.validity, situation.redeemsOnce)
    let isDead = validity.isExpired(at: time.earliest)
    let isClear = if case .none = situation.obstacle { true } else { false }
    let hasNoTime = if case .issuerWithoutTime = situation.obstacle { true } else { false }
    let isUnreachable = if case .issuerUnreachable = situation.obstacle { true } else { false }
    let isLocked = if case .keyringLocked = situation.obstacle { true } else { false }
    let isRefused = refusal == .recent || refusal == .final

    if step == .renew {
      always("no marked token is redeemed", !situation.isMarked)
      if let earliest = validity.earliestRefresh {
        let now = redeemsOnce ? time.earliest : time.latest
        always("no token is redeemed before its time", now >= earliest + 3)
      }
      always("nothing refused is redeemed", refusal == .none || refusal == .old && purpose != .upkeep)
      always("nothing is redeemed while the keyring is locked", !isLocked)
      if situation.isRenewed, purpose == .request {
        always("one refresh is enough for all processes", refusal == .old || isDead)
      }
      if refusal == .none {
        let isNeeded =
          switch purpose {
          case .request: validity.dueAt <= time.latest || validity.isExpired(at: time.latest)
          case .replacement: true
          case .upkeep: validity.keepAliveAt.map { $0 <= time.latest } ?? false
          }
        always("what nobody needs is not redeemed", isNeeded)
      }
    }
    if step == .renew || step == .giveUp, redeemsOnce, !time.isKnown {
      let isHopeless = step == .giveUp && (purpose == .replacement || refusal == .old)
      always("a server that redeems once is asked for its time first", isHopeless || hasNoTime)
    }
    if step == .askTime { always("the time is asked for once", redeemsOnce && !time.isKnown && isClear) }
    always("pending tokens are stored first", (step == .storePending) == situation.hasPending)

    if step == .use, purpose != .upkeep {
      always("no dead token is used", purpose == .request && refusal == .none && !isDead)
    }
    if purpose == .upkeep {
      always("upkeep disturbs nobody", [.use, .storePending, .askTime, .renew, .fail(error)].contains(step))
    }

    if step == .giveUp {
      let isOver = isDead || !redeemsOnce && validity.isExpired(at: time.latest)
      always("a sign-in ends only with a lost answer", situation.isMarked && purpose != .upkeep)
      always("a sign-in ends only for a reason", purpose == .replacement || refusal == .old || isOver)
    }
    if step == .askUser { always("the user is asked only after a refusal", isRefused) }
    if isRefused, !situation.hasPending {
      always("a refusal counts at once", step == (purpose == .upkeep ? .use : .askUser))
    }
    if step == .fail(error) {
      always("an error names what is in the way", isLocked || isUnreachable && !time.isKnown)
    }
    if step == .wait {
      let isEarly = validity.earliestRefresh.map { time.earliest < $0 + 3 } ?? false
      always("only an early refresh waits", isEarly)
    }
    // A guess is treated as the same time would be, unless the issuer is asked first.
    if !time.isKnown, time.earliest == time.latest, step != .askTime {
      var known = situation
      known.time = .known(time.earliest)
      always("a guess decides nothing that a time would not", isUnreachable ? step != .renew : known.step == step)
    }
  }

  @Test func eachSituationFollowsTheRules() {
    var failures: [String: Int] = [:]
    Self.forEach { situation in
      let step = situation.step
      Self.apply(situation, step) { rule, holds in
        guard !holds else { return }
        failures[rule, default: 0] += 1
        // The first few show what is wrong.
        if failures[rule, default: 0] <= 3 { Issue.record("\(rule): \(step) of \(situation)") }
      }
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
}
