// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge

/// The limits of applications. A call above a limit fails with `LimitExceeded`.
enum Limits {
  /// Sessions and clients that callers opened.
  static let openObjects = Budget.Bounds(each: 64, kind: 448, all: 512, reserve: 128, share: 2)
  /// Running turns. Each turn and each query has its own connection to the backend: there are 480 of those.
  static let runningTurns = Budget.Bounds(each: 64, kind: 304, all: 336, reserve: 48, share: 1)
  /// Backend requests for models and usage.
  static let queries = Budget.Bounds(each: 16, kind: 96, all: 128, reserve: 32, share: 2)
  /// Files that are read for callers that opened them. Each holds a thread until its file system answers.
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
  static let promptBytes = 4 << 20
  /// Bytes of a harness, which is part of every request.
  static let harnessBytes = 1 << 20
  /// Images of one message.
  static let images = 16
  /// Files of one message.
  static let files = 16
  /// Bytes of all tools of one call.
  static let toolBytes = 1 << 20
  /// Tools that a caller registers on a client, or passes with a turn.
  static let tools = 128
  /// Tool servers of the user that a turn names.
  static let toolServers = 16
  /// Bytes of a thread in its store. A larger one can neither be read with `Threads.Get` nor continued.
  static let threadBytes = 16 << 20
  /// Bytes of a thread's title.
  static let titleBytes = 1024
  /// Ended turns whose results stay available, per client object.
  static let keptTurns = 32
  /// Bytes of these results together. The last one is kept even if it is larger.
  static let keptBytes = 8 << 20

  // Each of these throws a `BusError` with `LimitExceeded`.

  static func check(messages count: Int) throws {
    let limit = TurnLimits.conversationItems
    try check(count, limit, "There are \(count) messages, and \(limit) are allowed: send fewer.")
  }

  static func check(images count: Int) throws {
    try check(count, images, "There are \(count) images, and \(images) are allowed: show fewer.")
  }

  static func check(files count: Int) throws {
    try check(count, files, "There are \(count) files, and \(files) are allowed: send fewer.")
  }

  static func check(toolServers names: [String]) throws {
    try check(
      names.count, toolServers, "There are \(names.count) tool servers, and \(toolServers) are allowed: name fewer.")
  }

  static func check(attachedBytes count: Int) throws {
    let limit = ChappieImage.messageLimit
    try check(
      count, limit,
      "The images and files take \((count + 0xFFFFF) >> 20) MiB as they are sent, and \(limit >> 20) MiB are allowed: send "
        + "fewer or smaller ones.")
  }

  static func check(toolBytes count: Int) throws {
    try check(count, toolBytes, "The tools have \(count) bytes, and \(toolBytes) are allowed: bring less.")
  }

  static func check(promptBytes count: Int) throws {
    try check(count, promptBytes, "The text has \(count) bytes, and \(promptBytes) are allowed: send less.")
  }

  static func check(harnessBytes count: Int) throws {
    try check(count, harnessBytes, "The harness has \(count) bytes, and \(harnessBytes) are allowed: say less in it.")
  }

  static func check(tools count: Int) throws {
    try check(count, tools, "There are \(count) tools, and \(tools) are allowed: bring fewer.")
  }

  static func check(threadBytes count: Int, adding added: Int) throws {
    let limit = threadBytes
    try check(count, limit, "The thread has more than \(limit >> 20) MiB: begin another one.")
    try check(
      count + added, limit,
      "The thread would have more than \(limit >> 20) MiB with this: send less, or begin another one.")
  }

  private static func check(_ count: Int, _ limit: Int, _ refusal: @autoclosure () -> String) throws {
    guard count <= limit else { throw BusError(.limitExceeded, refusal()) }
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
