// SPDX-License-Identifier: Apache-2.0
import CGLib

/// Carries a Swift closure through a C callback's user data.
package final class CallbackBox<Closure> {
  package let closure: Closure

  package init(_ closure: Closure) {
    self.closure = closure
  }

  /// A retained reference for use as user data, which ``release`` releases.
  package var retained: UnsafeMutableRawPointer {
    Unmanaged.passRetained(self).toOpaque()
  }

  /// The box in user data, which keeps its reference.
  package static func of(_ data: UnsafeMutableRawPointer?) -> CallbackBox {
    guard let data else { preconditionFailure("GLib lost a callback's user data") }
    return Unmanaged<CallbackBox>.fromOpaque(data).takeUnretainedValue()
  }

  /// The box in user data. The caller takes over the reference.
  package static func consume(_ data: UnsafeMutableRawPointer?) -> CallbackBox {
    guard let data else { preconditionFailure("GLib lost a callback's user data") }
    return Unmanaged<CallbackBox>.fromOpaque(data).takeRetainedValue()
  }

  /// Releases the reference. GLib calls it on any thread.
  package static var release: @convention(c) (UnsafeMutableRawPointer?) -> Void {
    { data in
      guard let data else { return }
      Unmanaged<AnyObject>.fromOpaque(data).release()
    }
  }

  /// As ``release``, with the signature that GObject signals need.
  package static var releaseOfSignal: @convention(c) (UnsafeMutableRawPointer?, UnsafeMutablePointer<GClosure>?) -> Void
  {
    { data, _ in
      guard let data else { return }
      Unmanaged<AnyObject>.fromOpaque(data).release()
    }
  }
}

/// `G_SOURCE_CONTINUE` and `G_SOURCE_REMOVE`, which Swift does not import.
let sourceContinue: gboolean = 1
let sourceRemove: gboolean = 0
