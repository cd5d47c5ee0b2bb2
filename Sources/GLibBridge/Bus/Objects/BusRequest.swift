/// A peer's request to an object, for authorization.
public struct BusRequest: Sendable, Equatable {
  public enum Access: Sendable, Equatable {
    /// A call of this method of the interface.
    case method(String)
    /// A read of one or all properties of the interface.
    case properties
  }

  /// The peer's unique name.
  public let sender: String
  public let interface: String
  public let access: Access

  public var isPropertyRead: Bool { access == .properties }
}
