/// The message exceeds the size limit. Nothing was sent.
///
/// A bus disconnects a program that sends more than 128 MiB in a message or 64 MiB in an array. The limit is far lower,
/// so that a few queued messages do not exhaust this process's memory either.
public struct BusMessageTooLong: Error, Equatable {
  /// The maximum size of a message's arguments, in bytes.
  public static let limit = 24 << 20

  /// The size of the arguments, in bytes.
  public let bytes: Int

  /// Throws when `arguments` exceed the limit.
  public static func check(_ arguments: Variant) throws(BusMessageTooLong) {
    let bytes = arguments.byteCount
    guard bytes <= limit else { throw BusMessageTooLong(bytes: bytes) }
  }
}

/// A D-Bus error that replies to a call.
public struct BusError: Error, Equatable {
  /// The full error name, such as `org.chappie.Error.Locked`.
  public let name: String
  /// One sentence for the user. It must contain no secret.
  public let message: String

  public init(name: String, message: String) {
    self.name = name
    self.message = message
  }
}
