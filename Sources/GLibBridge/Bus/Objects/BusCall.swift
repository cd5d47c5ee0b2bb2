import CGLib

/// A method call from a peer.
public struct BusCall: Sendable {
  /// The caller's unique name.
  public let sender: String
  /// The arguments, of the types that the interface's XML declares.
  public let arguments: Variant
  /// Whether the message carries ALLOW_INTERACTIVE_AUTHORIZATION, so that the user may be prompted.
  public let allowsInteraction: Bool
  /// Finished when the reply to this call has been queued, so that later messages follow it. A handler must not wait
  /// for it.
  public let replied: Wait

  /// The argument at `index`, counted from 0.
  ///
  /// - Throws: ``VariantError`` when the argument has another type.
  public func argument<Value: VariantConvertible>(
    _ index: Int, as type: Value.Type = Value.self
  ) throws(VariantError) -> Value {
    try arguments.member(index, "argument \(index + 1)")
  }
}
