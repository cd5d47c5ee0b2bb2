/// A message that is longer than one may be. Nothing was sent.
///
/// A bus ends the connection of a program that sends more than it takes: 128 MiB, and 64 MiB in one array. So messages
/// end far below, where a few that wait to be written do no harm to this process either.
public struct BusMessageTooLong: Error, Equatable {
  /// The longest that the arguments of a message may be, in bytes.
  public static let limit = 24 << 20

  /// What the arguments have.
  public let bytes: Int

  /// - Throws: itself.
  public static func check(_ arguments: Variant) throws(BusMessageTooLong) {
    let bytes = arguments.byteCount
    guard bytes <= limit else { throw BusMessageTooLong(bytes: bytes) }
  }
}

/// An error with a D-Bus error name, to answer a call with.
public struct BusError: Error, Equatable {
  /// The full error name, such as `org.chappie.Error.Locked`.
  public let name: String
  /// One sentence for a person. It must hold no secret.
  public let message: String

  public init(name: String, message: String) {
    self.name = name
    self.message = message
  }
}
