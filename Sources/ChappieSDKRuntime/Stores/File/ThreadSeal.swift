import ChappieSDK
import GLibBridge
import SecretMemory

/// How titles and turns are sealed: bound to their table, their thread and their place in it, so that none can be moved,
/// and none said to be of another time.
struct ThreadSeal {
  /// The longest blob of SQLite, less what sealing adds.
  private static let contentLimit = 1_000_000_000 - SealedBytes.overhead

  let key: SecretBytes

  // MARK: Titles

  /// - Parameter number: the number of the change that gave the title.
  func seal(title: String, of thread: String, number: Int64) -> [UInt8] {
    SealedBytes.sealContent(Array(title.utf8), key: key, context: Self.context("threads", thread, number))
  }

  /// Nil when `sealed` is not what was written.
  func title(_ sealed: [UInt8], of thread: String, number: Int64) -> String? {
    SealedBytes.openContent(sealed[...], key: key, context: Self.context("threads", thread, number))
      .map { String(decoding: $0, as: UTF8.self) }
  }

  // MARK: Turns

  /// The columns of a turn that its content is bound to.
  struct Place {
    let thread: String
    let sequence: Int64
    let id: String
    let recordedAt: StoredTime

    fileprivate var context: [UInt8] {
      ThreadSeal.context("turns", thread, sequence) + "\(recordedAt.microseconds)\0\(id)".utf8
    }
  }

  /// - Throws: ``ChappieThreadStoreError/full(_:)`` for more than a row can hold.
  func seal(_ events: [ChappieTurnEvent], at place: Place) throws -> [UInt8] {
    let content = ChappieJSONValue.array(events.map(\.jsonValue)).encoded
    guard content.count <= Self.contentLimit else {
      throw ChappieThreadStoreError.full(
        "The turn has more than \(Self.contentLimit >> 20) MiB: it is too large to store.")
    }
    return SealedBytes.sealContent(content, key: key, context: place.context)
  }

  /// Nil when `sealed` is not what was written.
  func turn(_ sealed: [UInt8], at place: Place) -> ChappieTurn? {
    guard let content = SealedBytes.openContent(sealed[...], key: key, context: place.context) else { return nil }
    return Self.events(content).map { events in
      ChappieTurn(
        id: place.id, recordedAt: place.recordedAt.seconds,
        recordedAtMicroseconds: place.recordedAt.rest, events: events)
    }
  }

  /// Nil for what is no list of events.
  static func events(_ content: [UInt8]) -> [ChappieTurnEvent]? {
    guard let json = try? ChappieJSONValue(parsing: content.span) else { return nil }
    return json.arrayValue?.map { ChappieTurnEvent(jsonValue: $0) }
  }

  private static func context(_ table: String, _ thread: String, _ number: Int64) -> [UInt8] {
    Array("chappie \(table)\0\(thread)\0\(number)\0".utf8)
  }
}

/// A time as a column has it: Unix microseconds in UTC.
struct StoredTime: Equatable {
  let microseconds: Int64

  init(microseconds: Int64) {
    self.microseconds = microseconds
  }

  /// The nearest that there is, some 290,000 years from now, for what is later.
  init(seconds: Int64, rest: Int32 = 0) {
    let limit = Int64.max / 1_000_000 - 1
    microseconds = min(limit, max(-limit, seconds)) * 1_000_000 + Int64(rest)
  }

  var seconds: Int64 {
    let (quotient, remainder) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
    return remainder < 0 ? quotient - 1 : quotient
  }

  /// Microseconds beyond ``seconds``: 0 to 999,999.
  var rest: Int32 { Int32(truncatingIfNeeded: microseconds &- seconds &* 1_000_000) }
}
