import CGLib
import CLibsoup
import Platform

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
      guard let database = try checked({ g_tls_file_database_new(path, &$0) }) else { return .unreadable }
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
