import CGLib

/// A method call that a peer made.
public struct BusCall: Sendable {
  /// The caller's unique name.
  public let sender: String
  /// The arguments, of the types that the interface's XML demands.
  public let arguments: Variant
  /// Whether the caller allows that the user is asked for something.
  public let allowsInteraction: Bool

  /// The argument at `index` as `type`.
  public func argument<Value: VariantConvertible>(
    _ index: Int, as type: Value.Type = Value.self
  ) throws(VariantError) -> Value {
    try arguments.member(index, "argument \(index + 1)")
  }
}
