/// An error of the desktop keyring.
public enum SecretStoreError: Error, Equatable {
  /// The collection or item is locked, and unlocking was forbidden or dismissed.
  case locked
  /// There is no keyring, it does not respond, or it returned an error. The value is the reason.
  case unavailable(String)
}
