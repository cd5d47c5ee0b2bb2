// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge

/// The outcome of one check of `chappie doctor`.
struct Finding {
  enum Verdict: String {
    case ok
    /// It works, but something is missing that a person may want.
    case note
    case problem
    /// It could not be checked, since something else is missing.
    case unchecked
  }

  /// One word for each check.
  let check: String
  let verdict: Verdict
  /// A sentence without names of people, addresses and home directories.
  let message: String
  /// What a person can do about it; nil for nothing.
  let remedy: String?
  /// What ``Verdict/problem`` means for the exit status.
  let status: ExitStatus

  private init(
    _ check: String, _ verdict: Verdict, _ message: String, _ remedy: String? = nil, _ status: ExitStatus = .success
  ) {
    self.check = check
    self.verdict = verdict
    self.message = Self.shareable(message)
    self.remedy = remedy
    self.status = status
  }

  static func ok(_ check: String, _ message: String) -> Finding { Finding(check, .ok, message) }

  static func note(_ check: String, _ message: String, _ remedy: String? = nil) -> Finding {
    Finding(check, .note, message, remedy)
  }

  static func problem(_ check: String, _ status: ExitStatus, _ message: String, _ remedy: String) -> Finding {
    Finding(check, .problem, message, remedy, status)
  }

  static func unchecked(_ check: String, _ reason: String) -> Finding { Finding(check, .unchecked, reason) }

  /// The text without what must not be in a report: the home directory, whose name is often the user's, addresses of
  /// people, and what may be a token. Other programs wrote parts of it.
  private static func shareable(_ text: String) -> String {
    let home = Directories.home
    let text = home.count > 1 ? text.replacing(home, with: "~") : text
    let words = Redaction.message(text).split(separator: " ").map { $0.contains("@") ? "[address]" : String($0) }
    return words.joined(separator: " ")
  }

  var json: JSONObject {
    var object = JSONObject()
    object.set("check", check)
    object.set("status", verdict.rawValue)
    object.set("message", message)
    object.set("remedy", remedy)
    return object
  }

  /// The message and the remedy.
  var sentence: String { [message, remedy].compactMap(\.self).joined(separator: " ") }
}
