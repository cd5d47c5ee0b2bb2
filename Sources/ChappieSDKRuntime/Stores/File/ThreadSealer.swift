import ChappieSDK
import GLibBridge
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
  func seal(title: String, of thread: String, number: Int64) -> [UInt8] {
    AEAD.sealContent(Array(title.utf8), key: key, context: Self.context("threads", thread, number))
  }

  /// Decrypts a title; nil if `sealed` was changed or moved.
  func title(_ sealed: [UInt8], of thread: String, number: Int64) -> String? {
    AEAD.openContent(sealed[...], key: key, context: Self.context("threads", thread, number))
      .map { String(decoding: $0, as: UTF8.self) }
  }

  // MARK: Turns

  /// The columns of a turn to which its content is bound.
  struct Place {
    let thread: String
    let sequence: Int64
    let id: String
    let recordedAt: StoredTime

    fileprivate var context: [UInt8] {
      ThreadSealer.context("turns", thread, sequence) + "\(recordedAt.microseconds)\0\(id)".utf8
    }
  }

  /// Encrypts the events of a turn.
  ///
  /// - Throws: ``ChappieThreadStoreError/full(_:)`` if a row cannot hold them.
  func seal(_ events: [ChappieTurnEvent], at place: Place) throws -> [UInt8] {
    let content = ChappieJSONValue.array(events.map(\.jsonValue)).encoded
    guard content.count <= Self.contentLimit else {
      throw ChappieThreadStoreError.full(
        "The turn is too large to store: it has more than \(Self.contentLimit >> 20) MiB.")
    }
    return AEAD.sealContent(content, key: key, context: place.context)
  }

  /// Decrypts a turn; nil if `sealed` was changed or moved.
  func turn(_ sealed: [UInt8], at place: Place) -> ChappieTurn? {
    guard let content = AEAD.openContent(sealed[...], key: key, context: place.context) else { return nil }
    return Self.events(content).map { events in
      ChappieTurn(
        id: place.id, recordedAt: place.recordedAt.seconds,
        recordedAtMicroseconds: place.recordedAt.rest, events: events)
    }
  }

  /// Decodes a JSON array of events; nil for anything else.
  static func events(_ content: [UInt8]) -> [ChappieTurnEvent]? {
    guard let json = try? ChappieJSONValue(parsing: content.span) else { return nil }
    return json.arrayValue?.map { ChappieTurnEvent(jsonValue: $0) }
  }

  private static func context(_ table: String, _ thread: String, _ number: Int64) -> [UInt8] {
    Array("chappie \(table)\0\(thread)\0\(number)\0".utf8)
  }
}

/// A time as a column stores it, in Unix microseconds.
struct StoredTime: Equatable {
  let microseconds: Int64

  init(microseconds: Int64) {
    self.microseconds = microseconds
  }

  /// Makes a time. A time too far away becomes the furthest one, about 290,000 years from now.
  init(seconds: Int64, rest: Int32 = 0) {
    let limit = Int64.max / 1_000_000 - 1
    microseconds = min(limit, max(-limit, seconds)) * 1_000_000 + Int64(rest)
  }

  var seconds: Int64 {
    let (quotient, remainder) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
    return remainder < 0 ? quotient - 1 : quotient
  }

  /// The microseconds after ``seconds``, 0 to 999,999.
  var rest: Int32 { Int32(truncatingIfNeeded: microseconds &- seconds &* 1_000_000) }
}
