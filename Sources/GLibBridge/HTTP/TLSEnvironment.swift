import Glibc

/// What an environment can have the TLS library write down.
public enum TLSEnvironment {
  /// The keys of each connection go into the file that the first one names; with the second one the library's debug
  /// lines hold them.
  static let leaks = ["SSLKEYLOGFILE", "GNUTLS_DEBUG_LEVEL"]

  /// Takes all such wishes out of the environment of this process. Call it in `main`, before there is another thread:
  /// it is for programs, since a library must not change what belongs to its host.
  public static func forgetLeaks() {
    for name in leaks { unsetenv(name) }
  }
}
