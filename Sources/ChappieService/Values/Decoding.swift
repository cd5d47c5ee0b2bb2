import GLibBridge

/// The bytes of a description that are decoded at once.
private let shortDescription = 16 << 10

/// Decodes what a caller describes: beside the actor where that could take longer than others can wait.
///
/// - Parameter byteCount: the size of the description.
@GLibActor
func decoded<Value: Sendable>(byteCount: Int, _ decode: @escaping @Sendable () throws -> Value) async throws -> Value {
  guard byteCount > shortDescription else { return try decode() }
  return try await offActor { Result { try decode() } }.get()
}
