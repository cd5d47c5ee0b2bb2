// SPDX-License-Identifier: Apache-2.0
import ChappieSDK

extension ChappieThread {
  /// The thread as JSON text on one line. The keys are the names of the properties; ``ChappieTurnEvent`` documents the
  /// events.
  public var json: String { jsonValue.json }
}

extension ChappieThread: JSONRecord, Codable {
  package static var subject: String { "the thread" }

  package init(_ fields: JSONFields) throws(ChappieClientError) {
    self.init(
      summary: try ChappieThreadSummary(jsonValue: fields.require("summary", fields["summary"])),
      turns: try fields.values("turns") { (json) throws(ChappieClientError) in try ChappieTurn(jsonValue: json) } ?? [],
      damage: try fields.values("damage") { (json) throws(ChappieClientError) in
        try ChappieThreadDamage(jsonValue: json)
      } ?? [])
  }

  package var jsonValue: ChappieJSONValue {
    [
      "summary": summary.jsonValue, "turns": .array(turns.map(\.jsonValue)),
      "damage": .array(damage.map(\.jsonValue)),
    ]
  }
}

extension ChappieThreadSummary: JSONRecord, Codable {
  package static var subject: String { "the thread's summary" }

  package init(_ fields: JSONFields) throws(ChappieClientError) {
    self.init(
      id: try fields.name("id"), title: try fields.string("title") ?? "",
      createdAtSeconds: try fields.require("createdAt", fields.time("createdAt")),
      updatedAtSeconds: try fields.require("updatedAt", fields.time("updatedAt")),
      archivedAtSeconds: try fields.time("archivedAt"),
      turnCount: try fields.count("turnCount") ?? 0,
      bytes: Int64(try fields.count("bytes") ?? 0), changeNumber: Int64(try fields.count("changeNumber") ?? 0),
      createdAtMicroseconds: try fields.microseconds("createdAtMicroseconds"),
      updatedAtMicroseconds: try fields.microseconds("updatedAtMicroseconds"))
  }

  package var jsonValue: ChappieJSONValue {
    var members: [String: ChappieJSONValue] = [
      "id": .string(id), "title": .string(title), "createdAt": .integer(createdAtSeconds),
      "updatedAt": .integer(updatedAtSeconds),
      "turnCount": .integer(Int64(turnCount)), "bytes": .integer(bytes), "changeNumber": .integer(changeNumber),
    ]
    members["archivedAt"] = archivedAtSeconds.map { .integer($0) }
    members["createdAtMicroseconds"] = .microseconds(createdAtMicroseconds)
    members["updatedAtMicroseconds"] = .microseconds(updatedAtMicroseconds)
    return .object(members)
  }
}

extension ChappieTurn: JSONRecord, Codable {
  package static var subject: String { "the turn" }

  package init(_ fields: JSONFields) throws(ChappieClientError) {
    self.init(
      id: try fields.name("id"), recordedAtSeconds: try fields.require("recordedAt", fields.time("recordedAt")),
      recordedAtMicroseconds: try fields.microseconds("recordedAtMicroseconds"),
      events: try fields.values("events") { ChappieTurnEvent(jsonValue: $0) } ?? [])
  }

  package var jsonValue: ChappieJSONValue {
    var members: [String: ChappieJSONValue] = [
      "id": .string(id), "recordedAt": .integer(recordedAtSeconds), "events": .array(events.map(\.jsonValue)),
    ]
    members["recordedAtMicroseconds"] = .microseconds(recordedAtMicroseconds)
    return .object(members)
  }
}

extension ChappieThreadDamage: JSONRecord, Codable {
  package static var subject: String { "the damage" }

  package init(_ fields: JSONFields) throws(ChappieClientError) {
    self.init(
      offset: Int64(try fields.require("offset", fields.count("offset"))), reason: try fields.string("reason") ?? "")
  }

  package var jsonValue: ChappieJSONValue {
    ["offset": .integer(offset), "reason": .string(reason)]
  }
}

extension JSONFields {
  /// The microseconds of a time; 0 if the field is missing, as in older versions.
  fileprivate func microseconds(_ name: String) throws(ChappieClientError) -> Int32 {
    Int32(min(999_999, try count(name) ?? 0))
  }
}

extension ChappieJSONValue {
  /// Nil for 0: the field is left out.
  fileprivate static func microseconds(_ value: Int32) -> ChappieJSONValue? {
    value == 0 ? nil : .integer(Int64(value))
  }
}
