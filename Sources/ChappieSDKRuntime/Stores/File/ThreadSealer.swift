// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import Platform
import SecretMemory

/// Encrypts titles and turns. Each is bound to its table, its thread, its place and its time, so that it cannot be moved
/// or redated.
struct ThreadSealer {
  /// The longest content in bytes: SQLite's limit for a blob, less the overhead of encryption.
  private static let contentLimit = 1_000_000_000 - AEAD.overhead

  let key: SecretBytes

  // MARK: Titles

  /// Encrypts a title.
  ///
  /// - Parameter number: the number of the change that set the title.
  func seal(title: String, of thread: String, number: Int) -> [UInt8] {
    AEAD.sealContent(Array(title.utf8), key: key, context: Self.context("threads", thread, number))
  }

  /// Decrypts a title; nil if `sealed` was changed or moved.
  func title(_ sealed: [UInt8], of thread: String, number: Int) -> String? {
    AEAD.openContent(sealed[...], key: key, context: Self.context("threads", thread, number))
      .map { String(decoding: $0, as: UTF8.self) }
  }

  // MARK: Turns

  /// The columns of a turn to which its content is bound.
  struct Place {
    let thread: String
    let sequence: Int
    let id: String
    let recordedAt: StoredTime

    fileprivate var context: [UInt8] {
      ThreadSealer.context("turns", thread, sequence) + "\(recordedAt.microseconds)\0\(id)".utf8
    }

    /// Whether the row of this place is a mark: it has no id.
    var isMark: Bool { id.isEmpty }

    /// The events of a mark in this place, which says that the turns from `first` on were removed.
    static func mark(first: Int) -> [ChappieTurnEvent] {
      [.other(["kind": "removed", "first": .integer(Int64(first))])]
    }

    fileprivate func removed(_ events: [ChappieTurnEvent]) -> Int? {
      guard isMark, sequence > 0, case .other(let json) = events.first, json["kind"] == "removed" else { return nil }
      return json["first"]?.number(in: 1...sequence)
    }
  }

  /// Encrypts the events of a turn.
  ///
  /// - Throws: ``ChappieThreadStoreError/full(_:)`` if a row cannot hold them.
  func seal(_ events: [ChappieTurnEvent], at place: Place) throws -> [UInt8] {
    let content = ChappieJSONValue.array(events.map(\.jsonValue)).encoded
    guard content.count <= Self.contentLimit else {
      throw ChappieThreadStoreError.full(
        en("The turn is too large to store: it has more than \(Self.contentLimit >> 20) MiB."))
    }
    return AEAD.sealContent(content, key: key, context: place.context)
  }

  /// What a row of the table of turns holds.
  enum Content {
    case turn(ChappieTurn)
    /// The turns in the places from `first` to this one were removed.
    case mark(first: Int)
  }

  /// Decrypts a row; nil if `sealed` was changed or moved.
  func content(_ sealed: [UInt8], at place: Place) -> Content? {
    guard let content = AEAD.openContent(sealed[...], key: key, context: place.context),
      let events = Self.events(content)
    else { return nil }
    if let first = place.removed(events) { return .mark(first: first) }
    return .turn(
      ChappieTurn(
        id: place.id, recordedAtSeconds: place.recordedAt.seconds.unixSeconds,
        recordedAtMicroseconds: place.recordedAt.rest, events: events))
  }

  /// Decodes a JSON array of events; nil for anything else.
  static func events(_ content: [UInt8]) -> [ChappieTurnEvent]? {
    guard let json = try? ChappieJSONValue(parsing: content.span) else { return nil }
    return json.arrayValue?.map { ChappieTurnEvent(jsonValue: $0) }
  }

  private static func context(_ table: String, _ thread: String, _ number: Int) -> [UInt8] {
    Array("chappie \(table)\0\(thread)\0\(number)\0".utf8)
  }
}

/// A time as a column stores it, in Unix microseconds.
struct StoredTime: Equatable {
  let seconds: Timestamp
  /// The microseconds after ``seconds``, 0 to 999,999.
  let rest: Int32

  init(seconds: Timestamp, rest: Int32 = 0) {
    self.seconds = seconds
    self.rest = min(max(rest, 0), 999_999)
  }

  /// The time in a row; nil for a time out of range.
  init?(_ time: (seconds: Timestamp, microseconds: Int32)?) {
    guard let time else { return nil }
    self.init(seconds: time.seconds, rest: time.microseconds)
  }

  var microseconds: Int64 { seconds.microseconds(rest) }
}
