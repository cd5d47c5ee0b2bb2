// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge

/// The JSON line of an event: the keys of the signal's dictionary, beside `event`.
extension TurnEvent {
  /// The size of texts above which an event is encoded off the actor, in bytes.
  private static let shortText = 64 << 10

  /// Whether the turn ends with this event.
  var isLast: Bool {
    switch self {
    case .completed, .failed: true
    case .toolCallRequested, .approvalRequested, .toolCallCompleted, .usageLimits: false
    }
  }

  var isLong: Bool {
    switch self {
    case .toolCallRequested(let request): request.arguments.utf8.count > Self.shortText
    case .approvalRequested(let request, _): request.arguments.utf8.count > Self.shortText
    case .toolCallCompleted(let result): result.output.utf8.count > Self.shortText
    case .usageLimits: false
    case .completed(let response): response.outputText.utf8.count > Self.shortText
    case .failed(_, let details): details.variant.byteCount > Self.shortText
    }
  }

  var line: [UInt8] {
    var (name, fields) = content
    fields["event"] = .string(name)
    return ChappieJSONValue.object(fields).encoded + [UInt8(ascii: "\n")]
  }

  private var content: (name: String, fields: [String: ChappieJSONValue]) {
    switch self {
    case .toolCallRequested(let request):
      (
        "tool-call-requested",
        [
          "call": .string(request.callID), "name": .string(request.toolName), "arguments": .string(request.arguments),
          "policy": .string(request.policy.rawValue),
        ]
      )
    case .approvalRequested(let request, let refusal):
      (
        "approval-requested",
        Self.fields(of: refusal).merging([
          "call": .string(request.callID), "name": .string(request.toolName), "arguments": .string(request.arguments),
        ]) { first, _ in first }
      )
    case .toolCallCompleted(let result):
      ("tool-call-completed", result.dictionary.json(with: ["call": .string(result.callID)]))
    case .usageLimits(let limits):
      ("usage-limits", limits.dictionary.json())
    case .completed(let response):
      ("completed", response.details.json(with: ["text": .string(response.outputText)]))
    case .failed(let error, let details):
      ("failed", details.json(with: Self.fields(of: error)))
    }
  }

  private static func fields(of error: BusError?) -> [String: ChappieJSONValue] {
    guard let error else { return [:] }
    return ["error": .string(error.name), "message": .string(error.message)]
  }
}

extension VariantDictionary {
  /// The members as JSON, with `others`.
  fileprivate func json(with others: [String: ChappieJSONValue] = [:]) -> [String: ChappieJSONValue] {
    keys.reduce(into: others) { fields, key in fields[key] = self[key].map(ChappieJSONValue.init) }
  }
}

extension ChappieJSONValue {
  /// A value of the bus as JSON, with the same keys.
  init(_ variant: Variant) {
    if let dictionary = try? VariantDictionary(variant: variant) {
      self = .object(dictionary.json())
    } else if let text = try? String(variant: variant) {
      self = .string(text)
    } else if let flag = try? Bool(variant: variant) {
      self = .bool(flag)
    } else if let number = try? Double(variant: variant) {
      self = .number(number)
    } else if let number = variant.wholeNumber {
      self = .integer(number)
    } else {
      self = .array(variant.children.map { ChappieJSONValue($0.unboxed) })
    }
  }
}

extension Variant {
  fileprivate var wholeNumber: Int64? {
    if let number = try? Int64(variant: self) { return number }
    if let number = try? UInt64(variant: self) { return Int64(clamping: number) }
    if let number = try? Int32(variant: self) { return Int64(number) }
    return (try? UInt32(variant: self)).map { Int64($0) }
  }
}
