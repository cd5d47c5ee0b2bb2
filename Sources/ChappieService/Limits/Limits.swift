// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import Platform

/// The limits of applications. A call above a limit fails with `LimitExceeded`.
enum Limits {
  /// Sessions and clients that callers opened.
  static let openObjects = Budget.Bounds(each: 64, kind: 448, all: 512, reserve: 128, share: 2)
  /// Running turns. Each turn and each query has its own connection to the backend: there are 480 of those.
  static let runningTurns = Budget.Bounds(each: 64, kind: 304, all: 336, reserve: 48, share: 1)
  /// Backend requests for models and usage.
  static let queries = Budget.Bounds(each: 16, kind: 96, all: 128, reserve: 32, share: 2)
  /// Files that are read for callers that opened or named them. Each holds a thread until its file system answers.
  static let fileReadings = Budget.Bounds(each: 1, kind: 24, all: 32, reserve: 0, share: 1)
  /// Running sign-ins. Each one polls the issuer, or has a listener for the browser.
  static let runningSignIns = Budget.Bounds(each: 8, kind: 24, all: 32, reserve: 8, share: 1)
  /// The rate of new sign-ins: each one is a request to the issuer, and a notification.
  static func signInRate(_ application: Application) -> Rate {
    application.kind == .unsandboxed ? Rate(atOnce: 60, perSecond: 1) : Rate(atOnce: 12, perSecond: 1.0 / 5)
  }
  /// The rate of questions that the desktop shows for one application.
  static let questionRate = Rate(atOnce: 10, perSecond: 1.0 / 6)
  /// The rate of requests to the backend for turns and queries of one application.
  static let requestRate = Rate(atOnce: 600, perSecond: 10)
  /// Retries of a request after HTTP status 429.
  static let retries = 10
  /// The shortest delay before the first of them, in seconds, where the server names none.
  static let shortestRetryDelay = 0.5
  /// The rate of new threads: an app must not fill the disk with empty threads.
  static func threadRate(_ application: Application) -> Rate {
    application.kind == .unsandboxed ? Rate(atOnce: 600, perSecond: 10) : Rate(atOnce: 60, perSecond: 1)
  }
  /// The rate of pages that are opened in the user's browser: an app must not open one window after the other.
  static func pageRate(_ application: Application) -> Rate {
    application.kind == .unsandboxed ? Rate(atOnce: 20, perSecond: 1.0 / 5) : Rate(atOnce: 4, perSecond: 1.0 / 30)
  }
  /// Threads of one app and account.
  static let threads = 10_000
  /// Accounts of one app with threads: each has its own key in the keyring.
  static let accountsWithThreads = 64
  /// Bytes of all texts of one call.
  static let promptBytes = Bound(most: 4 << 20) { en("The text has \($0) bytes, and \($1) are allowed: send less.") }
  /// Bytes of a harness, which is part of every request.
  static let harnessBytes = Bound(most: 1 << 20) {
    "The harness has \($0) bytes, and \($1) are allowed: say less in it."
  }
  /// Images of one message.
  static let images = Bound(most: 16) { en("There are \($0) images, and \($1) are allowed: show fewer.") }
  /// Files of one message.
  static let files = Bound(most: 16) { en("There are \($0) files, and \($1) are allowed: send fewer.") }
  /// Messages of one call.
  static let messages = Bound(most: TurnLimits.conversationItems) {
    "There are \($0) messages, and \($1) are allowed: send fewer."
  }
  /// Bytes of all images and files of one message, as they are sent.
  static let attachedBytes = Bound(most: ChappieImage.messageLimit) {
    en(
      """
      The images and files take \(($0 + 0xFFFFF) >> 20) MiB as they are sent, and \($1 >> 20) MiB are allowed: send \
      fewer or smaller ones.
      """)
  }
  /// Bytes of all tools of one call.
  static let toolBytes = Bound(most: 1 << 20) { "The tools have \($0) bytes, and \($1) are allowed: bring less." }
  /// Tools that a caller registers on a client, or passes with a turn.
  static let tools = Bound(most: 128) { "There are \($0) tools, and \($1) are allowed: bring fewer." }
  /// Tool servers of the user that a turn names.
  static let toolServers = Bound(most: 16) { en("There are \($0) tool servers, and \($1) are allowed: name fewer.") }
  /// Bytes of a thread in its store. A larger one can neither be read with `Threads.Get` nor continued.
  private static let threadBytes = 16 << 20
  /// Bytes of a thread's title.
  static let titleBytes = 1024
  /// Ended turns whose results stay available, per client object.
  static let keptTurns = 32
  /// Bytes of these results together. The last one is kept even if it is larger.
  static let keptBytes = 8 << 20

  /// - Parameters:
  ///   - count: the bytes of a thread.
  ///   - added: the bytes that will be stored with them.
  /// - Throws: `BusError` with `LimitExceeded`.
  static func check(threadBytes count: Int, adding added: Int) throws {
    try Bound(most: threadBytes) { en("The thread has more than \($1 >> 20) MiB: begin another one.") }.check(count)
    try Bound(most: threadBytes) {
      en("The thread would have more than \($1 >> 20) MiB with this: send less, or begin another one.")
    }.check(count + added)
  }
}

/// A limit of one call.
struct Bound: Sendable {
  let most: Int
  /// The sentence for a count above the limit, with both.
  let refusal: @Sendable (_ count: Int, _ most: Int) -> String

  /// - Throws: `BusError` with `LimitExceeded`.
  func check(_ count: Int) throws {
    guard count <= most else { throw BusError(.limitExceeded, refusal(count, most)) }
  }
}

/// A burst, then a number per second.
struct Rate: Sendable {
  let atOnce: Int
  let perSecond: Double
}

/// A rate limit for each holder, such as an application.
@GLibActor
final class RateLimit<Holder: Hashable & Sendable> {
  private struct Bucket {
    var left: Double
    var filled: ContinuousClock.Instant

    mutating func fill(_ rate: Rate, _ now: ContinuousClock.Instant) {
      left = min(Double(rate.atOnce), left + (now - filled) / .seconds(1) * rate.perSecond)
      filled = now
    }
  }

  private let rate: @Sendable (Holder) -> Rate
  private let now: @Sendable () -> ContinuousClock.Instant
  private var buckets: [Holder: Bucket] = [:]

  nonisolated init(
    _ rate: @escaping @Sendable (Holder) -> Rate,
    now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
  ) {
    self.rate = rate
    self.now = now
  }

  /// Counts one more for `holder`; false if it has to wait.
  func allows(_ holder: Holder) -> Bool {
    let now = now()
    // A holder that has its full burst again need not be remembered.
    if buckets.count >= 1024 {
      for key in Array(buckets.keys) {
        buckets[key]?.fill(rate(key), now)
        if let left = buckets[key]?.left, left >= Double(rate(key).atOnce) { buckets[key] = nil }
      }
    }
    let rate = rate(holder)
    var bucket = buckets[holder] ?? Bucket(left: Double(rate.atOnce), filled: now)
    bucket.fill(rate, now)
    defer { buckets[holder] = bucket }
    guard bucket.left >= 1 else { return false }
    bucket.left -= 1
    return true
  }
}
