import CGLib

/// A source of the actor's context that calls an action. It stops when it is let go.
///
/// Who keeps one in a property lets go of it with `take()`: what goes with the action may look at the property again.
@GLibActor
struct AttachedSource: ~Copyable {
  private let pointer: UnsafeMutablePointer<GSource>

  /// - Parameters:
  ///   - pointer: a new source, whose reference this takes over.
  ///   - callback: what GLib calls, with `action` as its user data.
  init(
    owning pointer: UnsafeMutablePointer<GSource>?, _ callback: GSourceFunc, _ action: @escaping @GLibActor () -> Void
  ) {
    guard let pointer else { preconditionFailure("GLib made no source") }
    g_source_set_callback(
      pointer, callback, CallbackBox(action).retained, CallbackBox<@GLibActor () -> Void>.release)
    g_source_attach(pointer, GLibActor.shared.executor.context.pointer)
    self.pointer = pointer
  }

  deinit {
    g_source_destroy(pointer)
    g_source_unref(pointer)
  }

  /// Calls the action the first time alone.
  static var once: GSourceFunc {
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
  nonisolated static func act(_ data: UnsafeMutableRawPointer?) {
    let action = CallbackBox<@GLibActor () -> Void>.of(data).closure
    GLibActor.assumeIsolated { action() }
  }
}
