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
