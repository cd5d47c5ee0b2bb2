import Glibc

/// Environment variables that make the TLS library write secrets to a file or a log.
public enum TLSEnvironment {
  /// SSLKEYLOGFILE names a file for the keys of each connection. GNUTLS_DEBUG_LEVEL turns on debug messages that
  /// contain them.
  static let keyLoggingVariables = ["SSLKEYLOGFILE", "GNUTLS_DEBUG_LEVEL"]

  /// Removes these variables from the environment of this process. Call it in `main`, before other threads start. It is
  /// for programs only: a library must not change its host's environment.
  public static func removeKeyLogging() {
    for name in keyLoggingVariables { unsetenv(name) }
  }
}
