import CGLib

/// Carries a Swift closure through a C callback's user data.
package final class CallbackBox<Closure> {
  package let closure: Closure

  package init(_ closure: Closure) {
    self.closure = closure
  }

  /// This box as user data that keeps it alive until ``release`` is called with it.
  package var retained: UnsafeMutableRawPointer {
    Unmanaged.passRetained(self).toOpaque()
  }

  /// The box behind user data, which stays alive.
  package static func of(_ data: UnsafeMutableRawPointer?) -> CallbackBox {
    guard let data else { preconditionFailure("GLib lost a callback's user data") }
    return Unmanaged<CallbackBox>.fromOpaque(data).takeUnretainedValue()
  }

  /// The box behind user data, which the caller now owns.
  package static func consume(_ data: UnsafeMutableRawPointer?) -> CallbackBox {
    guard let data else { preconditionFailure("GLib lost a callback's user data") }
    return Unmanaged<CallbackBox>.fromOpaque(data).takeRetainedValue()
  }

  /// Lets go of the box. GLib calls it on any thread.
  package static var release: @convention(c) (UnsafeMutableRawPointer?) -> Void {
    { data in
      guard let data else { return }
      Unmanaged<AnyObject>.fromOpaque(data).release()
    }
  }

  /// The same, as GObject's signals want it.
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
