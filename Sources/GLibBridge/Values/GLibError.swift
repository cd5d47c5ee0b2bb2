// SPDX-License-Identifier: Apache-2.0
import CGLib
import Glibc

/// An error of GLib or a library that is based on it.
public struct GLibError: Error, Equatable {
  /// The name of the error domain, such as `g-io-error-quark`.
  public let domain: String
  /// The error code, within the domain.
  public let code: Int32
  /// The description of the error.
  public let message: String
  /// The D-Bus error name, when a peer on the bus sent the error.
  public let busName: String?

  public init(domain: String, code: Int32, message: String, busName: String? = nil) {
    self.domain = domain
    self.code = code
    self.message = message
    self.busName = busName
  }

  /// Takes ownership of a `GError`.
  init(consuming error: UnsafeMutablePointer<GError>) {
    busName = takeString(g_dbus_error_get_remote_error(error))
    if busName != nil { g_dbus_error_strip_remote_error(error) }
    domain = String(cString: g_quark_to_string(error.pointee.domain))
    code = error.pointee.code
    message = String(cString: error.pointee.message)
    g_error_free(error)
  }

  /// The error of a failed system call.
  init(errno number: Int32) {
    self.init(domain: "errno", code: number, message: String(cString: strerror(number)))
  }

  /// The error for a deadline that GLibBridge sets itself.
  public static let timedOut = GLibError(
    domain: ioDomain, code: Int32(G_IO_ERROR_TIMED_OUT.rawValue), message: "timed out")

  /// The error for a function that returns neither a result nor an error.
  static let noResult = GLibError(domain: "chappie-glib", code: 0, message: "it gave no result")

  private static let ioDomain = String(cString: g_quark_to_string(g_io_error_quark()))

  package func isIO(_ code: GIOErrorEnum) -> Bool {
    domain == Self.ioDomain && self.code == Int32(code.rawValue)
  }

  public var isCancelled: Bool { isIO(G_IO_ERROR_CANCELLED) }

  /// Whether a closed connection caused the error, such as a connection to a bus that has stopped.
  public var isClosed: Bool { isIO(G_IO_ERROR_CLOSED) }

  /// Whether no program has the name, and the bus can start none.
  package var isServiceUnknown: Bool { busName == "org.freedesktop.DBus.Error.ServiceUnknown" }

  /// Whether the peer has no such method, interface or object.
  package var isUnknownMethod: Bool { busName == "org.freedesktop.DBus.Error.UnknownMethod" }

  public var isTimeout: Bool { isIO(G_IO_ERROR_TIMED_OUT) || busName == "org.freedesktop.DBus.Error.NoReply" }
}

/// Duplicates a descriptor, with close-on-exec.
///
/// - Throws: ``GLibError``.
func duplicate(_ descriptor: Int32) throws -> Int32 {
  // Not one of the standard streams, also where one of them is closed.
  let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
  guard copy >= 0 else { throw GLibError(errno: errno) }
  return copy
}

/// Calls a C function that returns a result, or reports an error through a `GError`.
///
/// - Throws: ``GLibError``.
@discardableResult
package func checked<Result>(_ body: (inout UnsafeMutablePointer<GError>?) -> Result?) throws -> Result {
  var error: UnsafeMutablePointer<GError>?
  let result = body(&error)
  if let error { throw GLibError(consuming: error) }
  guard let result else { throw GLibError.noResult }
  return result
}
