import GLibBridge

/// The size in bytes up to which a value is decoded on the actor.
private let shortDescription = 16 << 10

/// Decodes a value of a caller. A large value is decoded off the actor, so that other callers need not wait.
///
/// - Parameter byteCount: the size of the value.
/// - Throws: the errors of `decode`.
@GLibActor
func decoded<Value: Sendable>(byteCount: Int, _ decode: @escaping @Sendable () throws -> Value) async throws -> Value {
  guard byteCount > shortDescription else { return try decode() }
  return try await offActor { Result { try decode() } }.get()
}
