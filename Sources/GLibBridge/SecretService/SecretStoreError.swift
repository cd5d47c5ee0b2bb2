/// Why the desktop keyring did not do what it was asked for.
public enum SecretStoreError: Error, Equatable {
  /// The collection or item is locked, and unlocking it was not allowed or was dismissed.
  case locked
  /// There is no keyring, it does not answer, or it answered with an error.
  case unavailable(String)
}
