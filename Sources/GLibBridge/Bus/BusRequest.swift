/// What a peer wants of an object, before it gets it.
public struct BusRequest: Sendable, Equatable {
  public enum Access: Sendable, Equatable {
    /// A call of a method of the interface.
    case method(String)
    /// A read of one or of all properties of the interface.
    case properties
  }

  /// The peer's unique name.
  public let sender: String
  public let interface: String
  public let access: Access

  public var isPropertyRead: Bool { access == .properties }
}
