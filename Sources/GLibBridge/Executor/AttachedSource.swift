import CGLib

/// A source of the actor's context that calls an action. It stops when it is let go.
///
/// Who keeps one in a property lets go of it with `take()`: what goes with the action may look at the property again.
@GLibActor
package struct AttachedSource: ~Copyable {
  private let pointer: UnsafeMutablePointer<GSource>

  /// - Parameters:
  ///   - pointer: a new source, whose reference this takes over.
  ///   - callback: what GLib calls, with `action` as its user data.
  package init(
    owning pointer: UnsafeMutablePointer<GSource>?, _ callback: GSourceFunc, _ action: @escaping @GLibActor () -> Void
  ) {
    guard let pointer else { preconditionFailure("GLib made no source") }
    g_source_set_callback(
      pointer, callback, CallbackBox(action).retained, CallbackBox<@GLibActor () -> Void>.release)
    g_source_attach(pointer, GLibActor.shared.executor.context.pointer)
    self.pointer = pointer
  }

  /// A source that calls `action` once, as soon as `condition` is true of a descriptor, which stays open until then.
  package init(watching descriptor: Int32, for condition: GIOCondition, _ action: @escaping @GLibActor () -> Void) {
    let callback: GUnixFDSourceFunc = { _, _, data in
      AttachedSource.act(data)
      return sourceRemove
    }
    // GLib asks for every kind of callback in the shape of the plainest one.
    self.init(
      owning: g_unix_fd_source_new(descriptor, condition), unsafeBitCast(callback, to: GSourceFunc.self), action)
  }

  deinit {
    g_source_destroy(pointer)
    g_source_unref(pointer)
  }

  /// Calls the action the first time alone.
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

  /// Calls the action that is a callback's user data.
  private nonisolated static func act(_ data: UnsafeMutableRawPointer?) {
    let action = CallbackBox<@GLibActor () -> Void>.of(data).closure
    GLibActor.assumeIsolated { action() }
  }
}
