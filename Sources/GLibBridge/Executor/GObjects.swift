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
}

/// Calls a C function at each emission of a signal, until the object ends or the handler is disconnected.
///
/// - Parameters:
///   - callback: a function with the parameters of the signal, and `closure` in a box as its user data.
///   - flags: `G_CONNECT_SWAPPED` makes the user data the first parameter.
@discardableResult
package func onSignal<Object, Closure>(
  _ signal: String, of object: Object, _ closure: Closure, _ callback: @escaping GCallback,
  flags: GConnectFlags = GConnectFlags(rawValue: 0)
) -> gulong {
  g_signal_connect_data(
    unsafeBitCast(object, to: gpointer.self), signal, callback, CallbackBox(closure).retained,
    { data, _ in data.map { Unmanaged<AnyObject>.fromOpaque($0).release() } }, flags)
}

/// Calls `action` at each emission of a signal, whose arguments do not matter.
@discardableResult
package func onSignal<Object>(
  _ signal: String, of object: Object, _ action: @escaping @GLibActor () -> Void
) -> gulong {
  let callback: @convention(c) (UnsafeMutableRawPointer?) -> Void = { data in
    let action = CallbackBox<@GLibActor () -> Void>.of(data).closure
    GLibActor.assumeIsolated { action() }
  }
  return onSignal(signal, of: object, action, unsafeBitCast(callback, to: GCallback.self), flags: G_CONNECT_SWAPPED)
}

/// Registers a type of GObjects, as large as `parent`. `initialize` sets up its class.
func registerType(_ name: String, parent: GType, _ initialize: GClassInitFunc? = nil) -> GType {
  var query = GTypeQuery()
  g_type_query(parent, &query)
  return g_type_register_static_simple(
    parent, name, query.class_size, initialize, query.instance_size, nil, GTypeFlags(rawValue: 0))
}

/// Makes a GObject with properties that are numbers.
package func newObject(_ type: GType, _ properties: KeyValuePairs<String, Int32> = [:]) -> UnsafeMutablePointer<
  GObject
>? {
  let values = properties.map { property in
    var value = GValue()
    g_value_init(&value, chappie_type_int())
    g_value_set_int(&value, property.value)
    return value
  }
  return withCStrings(properties.map(\.key)) { g_object_new_with_properties(type, guint(values.count), $0, values) }
}

/// `G_SOURCE_CONTINUE` and `G_SOURCE_REMOVE`, which Swift does not import.
let sourceContinue: gboolean = 1
let sourceRemove: gboolean = 0
