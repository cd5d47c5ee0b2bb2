// SPDX-License-Identifier: Apache-2.0
import Platform

/// The content of an error, in an event or in the body of an HTTP response.
struct WireError: Equatable {
  let code: String?
  let type: String?
  let message: String?
  /// The part of the request that the error is about, without an index: `input` for `input[3]`.
  let parameter: String?
  let plan: String?
  /// Unix seconds in UTC.
  let resetsAt: Int64?

  init(_ error: ChappieJSONValue) {
    code = error["code"]?.stringValue
    type = error["type"]?.stringValue
    message = error["message"]?.stringValue
    parameter = (error["param"]?.stringValue?.prefix { $0 != "[" }).flatMap { Redaction.name(String($0)) }
    plan = error["plan_type"]?.stringValue.map(Redaction.message)
    resetsAt = error["resets_at"]?.time?.unixSeconds
  }

  /// The error of an event or a body: its member `error`, or the whole of it.
  init(within whole: ChappieJSONValue) {
    let member = whole["error"].flatMap { $0.objectValue == nil ? nil : $0 }
    self.init(member ?? whole)
  }

  /// Whether the user's plan, or what was paid for, is used up.
  var isUsageLimit: Bool { names.contains("usage_limit_reached") || isQuotaMissing }
  /// Whether there is no quota that a later try could find.
  var isQuotaMissing: Bool { names.contains("insufficient_quota") }

  private var names: [String] { [code, type].compactMap(\.self) }

  /// The status of an HTTP response with this error. Nil if an event with it may be followed by a better answer.
  var usualStatus: Int? {
    for name in names {
      if let status = Self.statuses[name] { return status }
      guard Self.refusing.contains(where: name.hasPrefix) else { continue }
      return name.hasSuffix("_unavailable") ? 503 : 403
    }
    return nil
  }

  /// The beginnings of the codes in which OpenAI's public API tells whether it serves the user and the application.
  private static let refusing = ["subscription_sharing_", "chatpass_"]

  private static let statuses = [
    "invalid_request_error": 400, "websocket_connection_limit_reached": 400, "previous_response_not_found": 400,
    "model_not_supported": 400, "authentication_error": 401, "invalid_token": 401, "token_expired": 401,
    "subscription_sharing_invalid_user": 401, "permission_error": 403, "model_not_found": 404, "not_found_error": 404,
    "usage_limit_reached": 429, "insufficient_quota": 429, "rate_limit_exceeded": 429, "rate_limit_error": 429,
    "slow_down": 429,
  ]

  /// The delay in seconds that a message such as “Please try again in 2.5s” asks for.
  var delay: Double? {
    let words = message?.split { !($0.isLetter || $0.isNumber || $0 == ".") } ?? []
    guard let start = words.indices.first(where: { words[$0...].starts(with: ["try", "again", "in"]) }) else {
      return nil
    }
    let rest = words[(start + 3)...].joined()
    let number = rest.prefix { $0.isNumber || $0 == "." }
    guard let value = Double(number), value.isFinite else { return nil }
    let unit = rest[number.endIndex...]
    return unit.hasPrefix("ms") ? value / 1000 : unit.hasPrefix("s") ? value : nil
  }
}
