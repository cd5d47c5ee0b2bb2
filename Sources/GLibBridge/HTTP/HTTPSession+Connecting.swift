// SPDX-License-Identifier: Apache-2.0
import CGLib
import CLibsoup
import Glibc
import Platform

extension HTTPSession {
  /// Checks that a response over HTTPS comes from the server. libsoup returns a proxy's response to CONNECT as if the
  /// server had sent it. Without the server's certificate a response is not the server's.
  ///
  /// - Throws: ``GLibError``, which contains the proxy's status.
  static func checkResponseIsFromServer(_ message: OpaquePointer) throws {
    guard isOverTLS(message), soup_message_get_tls_peer_certificate(message) == nil else { return }
    let status = soup_message_get_status(message).rawValue
    throw GLibError(
      connecting: "a proxy refused to connect to \(host(of: message)) and returned status \(status)")
  }

  fileprivate static func host(of message: OpaquePointer) -> String {
    g_uri_get_host(soup_message_get_uri(message)).map { String(cString: $0) } ?? "the server"
  }

  /// The reasons why the peer's certificate is not trusted, in words.
  fileprivate static func certificateFaults(of message: OpaquePointer) -> String {
    let flags = soup_message_get_tls_peer_certificate_errors(message).rawValue
    let faults = [
      (G_TLS_CERTIFICATE_BAD_IDENTITY, "it is for another host, so something may be in between"),
      (G_TLS_CERTIFICATE_EXPIRED, "it has expired, or the clock here is wrong"),
      (G_TLS_CERTIFICATE_NOT_ACTIVATED, "it is not valid yet, or the clock here is wrong"),
      (G_TLS_CERTIFICATE_REVOKED, "it was revoked"),
      (G_TLS_CERTIFICATE_INSECURE, "its algorithm is too weak"),
      (G_TLS_CERTIFICATE_UNKNOWN_CA, "no authority that is trusted here has issued it, so something may be in between"),
    ].filter { flags & $0.0.rawValue != 0 }.map(\.1)
    return faults.isEmpty ? "it cannot be checked, so something may be in between" : faults.joined(separator: "; ")
  }

  private static func isOverTLS(_ message: OpaquePointer) -> Bool {
    ["https", "wss"].contains(g_uri_get_scheme(soup_message_get_uri(message)).map { String(cString: $0) })
  }
}

extension GLibError {
  /// Whether the server's certificate is not trusted. A retry does not help.
  public var isUntrustedCertificate: Bool { domain == Self.certificateDomain }

  private static let certificateDomain = "chappie-certificate"
  private static let tlsDomain = String(cString: g_quark_to_string(g_tls_error_quark()))
  private static let proxyCodes = [
    G_IO_ERROR_PROXY_FAILED, G_IO_ERROR_PROXY_AUTH_FAILED, G_IO_ERROR_PROXY_NEED_AUTH, G_IO_ERROR_PROXY_NOT_ALLOWED,
  ]

  fileprivate init(connecting message: String) {
    self.init(domain: "chappie-http", code: 2, message: message)
  }

  init(untrusted message: String) {
    self.init(domain: Self.certificateDomain, code: Int32(G_TLS_ERROR_BAD_CERTIFICATE.rawValue), message: message)
  }

  /// This error with a message that distinguishes certificate, TLS and proxy errors.
  @GLibActor
  func explained(for message: OpaquePointer) -> GLibError {
    let host = HTTPSession.host(of: message)
    if domain == Self.tlsDomain {
      guard code == Int32(G_TLS_ERROR_BAD_CERTIFICATE.rawValue) else {
        return GLibError(connecting: "the TLS connection to \(host) failed (\(self.message))")
      }
      return GLibError(
        untrusted: "the certificate shown for \(host) is not trusted (\(HTTPSession.certificateFaults(of: message)))")
    }
    if Self.proxyCodes.contains(where: isIO) {
      return GLibError(connecting: "a proxy does not connect to \(host) (\(self.message))")
    }
    return self
  }
}

/// The hosts that a test process may reach. A test must never send a request to a live server.
@GLibActor
package enum TestHosts {
  /// The allowed hosts beside the loopback. Nil in any other process: all hosts are allowed.
  private static var allowed: Set<String>?

  /// From now on requests of this process may go to the loopback, to the hosts of `addresses` and to those of earlier
  /// calls alone.
  package static func allow(_ addresses: [String]) {
    allowed = (allowed ?? []).union(addresses.compactMap { ParsedURL($0)?.host })
  }

  /// - Throws: ``GLibError`` for a host that is not allowed. A retry does not help.
  static func check(_ url: String) throws {
    guard let allowed, let address = ParsedURL(url), !address.isLoopback, let host = address.host,
      !allowed.contains(host)
    else { return }
    throw GLibError(untrusted: "this process runs tests with a stand-in for the servers, so it may not reach \(host)")
  }
}

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

/// The TLS library of this process.
public enum TLSSupport {
  /// Whether GIO has a TLS library, as the package glib-networking brings one.
  public static var isInstalled: Bool { g_tls_backend_supports_tls(g_tls_backend_get_default()) != 0 }
}

/// The certificate authorities that this process trusts: the system's, with those that its administrator has added, or
/// those of the file in the environment variable `SSL_CERT_FILE`, as with other network programs.
@GLibActor
enum TrustStore {
  case system
  case file(UnsafeMutablePointer<GTlsDatabase>)
  case unreadable

  /// Read once: the database is kept for the process's lifetime.
  static let shared: TrustStore = {
    guard let path = CurrentProcess.environment("SSL_CERT_FILE") else { return .system }
    do {
      // GLib would wait for a named pipe, and take any size.
      _ = try Files.read(path, limit: 16 << 20)
      let database = try checked { g_tls_file_database_new(path, &$0) }
      Log.info("The authorities in \(path: path) are trusted instead of the system's, as SSL_CERT_FILE says.")
      return .file(UnsafeMutableRawPointer(database).assumingMemoryBound(to: GTlsDatabase.self))
    } catch {
      let reason = (error as? GLibError)?.message ?? "\(error)"
      Log.warning("SSL_CERT_FILE names \(path: path), which has no certificates: \(reason: reason).")
      return .unreadable
    }
  }()

  /// Makes a session trust these authorities.
  func use(in session: UnsafeMutablePointer<SoupSession>) {
    if case .file(let database) = self { soup_session_set_tls_database(session, database) }
  }

  /// - Throws: ``GLibError`` for an address that needs a certificate, when the authorities cannot be read. The system's
  ///   are no substitute, because the user has excluded them.
  func check(_ url: String) throws {
    guard case .unreadable = self, ["https", "wss"].contains(ParsedURL(url)?.scheme) else { return }
    throw GLibError(
      untrusted: "no certificate can be checked, because SSL_CERT_FILE names a file without certificates")
  }
}
