// SPDX-License-Identifier: Apache-2.0
import CGLib

/// Calls an action for events of the main loop. Releasing the watch stops it.
@GLibActor
public class SourceWatch {
  private var source: AttachedSource?

  init(_ source: consuming AttachedSource) {
    self.source = consume source
  }

  /// Stops watching.
  public final func cancel() {
    _ = source.take()
  }

  isolated deinit {
    cancel()
  }
}

/// An event source that is attached to the actor's main context and calls an action. Releasing it destroys the source.
///
/// An owner that keeps one in a property must release it with `take()`: releasing the action may run code that reads
/// the property.
@GLibActor
package struct AttachedSource: ~Copyable {
  private let pointer: UnsafeMutablePointer<GSource>

  /// Attaches a source.
  ///
  /// - Parameters:
  ///   - pointer: a new source. This takes over the reference.
  ///   - callback: the function that GLib calls, with `action` as its user data.
  package init(
    owning pointer: UnsafeMutablePointer<GSource>?, _ callback: GSourceFunc, _ action: @escaping @GLibActor () -> Void
  ) {
    guard let pointer else { preconditionFailure("GLib made no source") }
    // No callback runs a main loop. Against that, GLib would take the source's descriptors out of the context during
    // each callback and put them back, at a system call each.
    g_source_set_can_recurse(pointer, 1)
    g_source_set_callback(
      pointer, callback, CallbackBox(action).retained, CallbackBox<@GLibActor () -> Void>.release)
    g_source_attach(pointer, GLibActor.shared.executor.context.pointer)
    self.pointer = pointer
  }

  /// A source that calls `action` once, when `condition` becomes true for a descriptor. The descriptor must stay open
  /// until then.
  package init(watching descriptor: Int32, for condition: GIOCondition, _ action: @escaping @GLibActor () -> Void) {
    let callback: GUnixFDSourceFunc = { _, _, data in
      AttachedSource.act(data)
      return sourceRemove
    }
    // GLib declares every kind of callback as a GSourceFunc.
    self.init(
      owning: g_unix_fd_source_new(descriptor, condition), unsafeBitCast(callback, to: GSourceFunc.self), action)
  }

  /// A source that calls `action` each time that a descriptor has input. The descriptor must stay open as long.
  init(reading descriptor: Int32, _ action: @escaping @GLibActor () -> Void) {
    let callback: GUnixFDSourceFunc = { _, _, data in
      AttachedSource.act(data)
      return sourceContinue
    }
    self.init(owning: g_unix_fd_source_new(descriptor, G_IO_IN), unsafeBitCast(callback, to: GSourceFunc.self), action)
  }

  /// A source that calls `action` each time that a pollable stream has data, or has ended.
  init(reading input: OpaquePointer, _ action: @escaping @GLibActor () -> Void) {
    let callback: GPollableSourceFunc = { _, data in
      AttachedSource.act(data)
      return sourceContinue
    }
    self.init(
      owning: g_pollable_input_stream_create_source(input, nil), unsafeBitCast(callback, to: GSourceFunc.self), action)
  }

  deinit {
    g_source_destroy(pointer)
    g_source_unref(pointer)
  }

  /// Calls the action once and removes the source.
  package static var once: GSourceFunc {
    { data in
      AttachedSource.act(data)
      return sourceRemove
    }
  }

  /// Calls the action each time.
  static var eachTime: GSourceFunc {
    { data in
      AttachedSource.act(data)
      return sourceContinue
    }
  }

  /// Calls the action in a callback's user data.
  private nonisolated static func act(_ data: UnsafeMutableRawPointer?) {
    let action = CallbackBox<@GLibActor () -> Void>.of(data).closure
    GLibActor.assumeIsolated { action() }
  }
}
