// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge

/// The limits of applications. A call above a limit fails with `LimitExceeded`.
enum Limits {
  /// Sessions and clients that callers opened.
  static let openObjects = ApplicationBudget.Bounds(each: 64, kind: 448, all: 512, reserve: 128, share: 2)
  /// Running turns. Each turn and each query has its own connection to the backend: there are 480 of those.
  static let runningTurns = ApplicationBudget.Bounds(each: 64, kind: 304, all: 336, reserve: 48, share: 1)
  /// Backend requests for models and usage.
  static let queries = ApplicationBudget.Bounds(each: 16, kind: 96, all: 128, reserve: 32, share: 2)
  /// Running sign-ins. Each one polls the issuer, or has a listener for the browser.
  static let runningSignIns = ApplicationBudget.Bounds(each: 8, kind: 24, all: 32, reserve: 8, share: 1)
  /// The rate of new sign-ins: each one is a request to the issuer, and a notification.
  static func signInRate(_ application: Application) -> Rate {
    switch application.kind {
    case .sandboxed, .uninspectable: Rate(atOnce: 12, perSecond: 1.0 / 5)
    case .unsandboxed: Rate(atOnce: 60, perSecond: 1)
    }
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
    switch application.kind {
    case .sandboxed, .uninspectable: Rate(atOnce: 60, perSecond: 1)
    case .unsandboxed: Rate(atOnce: 600, perSecond: 10)
    }
  }
  /// The rate of pages that are opened in the user's browser: an app must not open one window after the other.
  static func pageRate(_ application: Application) -> Rate {
    switch application.kind {
    case .sandboxed, .uninspectable: Rate(atOnce: 4, perSecond: 1.0 / 30)
    case .unsandboxed: Rate(atOnce: 20, perSecond: 1.0 / 5)
    }
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
  /// Bytes of all tools of one call.
  static let toolBytes = 1 << 20
  /// Tools that a caller registers on a client, or passes with a turn.
  static let tools = 128
  /// Bytes of a thread in its store. A larger one can neither be read with `Threads.Get` nor continued.
  static let threadBytes = 16 << 20
  /// Bytes of a thread's title.
  static let titleBytes = 1024
  /// Ended turns whose results stay available, per client object.
  static let keptTurns = 32
  /// Bytes of these results together. The last one is kept even if it is larger.
  static let keptBytes = 8 << 20

  /// - Throws: `BusError` with `LimitExceeded`.
  static func check(messages count: Int) throws {
    guard count <= TurnLimits.conversationItems else {
      throw BusError(
        .limitExceeded, "There are \(count) messages, and \(TurnLimits.conversationItems) are allowed: send fewer.")
    }
  }

  /// - Throws: `BusError` with `LimitExceeded`.
  static func check(images count: Int) throws {
    guard count <= images else {
      throw BusError(.limitExceeded, "There are \(count) images, and \(images) are allowed: show fewer.")
    }
  }

  /// - Throws: `BusError` with `LimitExceeded`.
  static func check(imageBytes count: Int) throws {
    guard count <= TurnLimits.imageBytes else {
      throw BusError(
        .limitExceeded,
        "The images have more than the \(TurnLimits.imageBytes >> 20) MiB that are allowed: show fewer or smaller ones."
      )
    }
  }

  /// - Throws: `BusError` with `LimitExceeded`.
  static func check(toolBytes count: Int) throws {
    guard count <= toolBytes else {
      throw BusError(.limitExceeded, "The tools have \(count) bytes, and \(toolBytes) are allowed: bring less.")
    }
  }

  /// - Throws: `BusError` with `LimitExceeded`.
  static func check(promptBytes count: Int) throws {
    guard count <= promptBytes else {
      throw BusError(.limitExceeded, "The text has \(count) bytes, and \(promptBytes) are allowed: send less.")
    }
  }
}
