// SPDX-License-Identifier: Apache-2.0
import CGLib

/// An event source of the actor's main context, which calls an action. Releasing the watch stops it.
///
/// An owner that keeps one in a property must cancel it before it sets the property: releasing the action may run code
/// that reads the property.
@GLibActor
public class SourceWatch {
  package typealias Action = @GLibActor () -> Void

  /// A kind of event, as a new source and the function that GLib calls for it.
  package struct Event {
    fileprivate let source: UnsafeMutablePointer<GSource>?
    fileprivate let callback: GSourceFunc

    private init(_ source: UnsafeMutablePointer<GSource>?, _ callback: GSourceFunc? = nil) {
      self.source = source
      self.callback = callback ?? { data in SourceWatch.act(data) }
    }

    static func timeout(_ milliseconds: UInt32) -> Event { Event(g_timeout_source_new(milliseconds)) }

    static func signal(_ number: Int32) -> Event { Event(g_unix_signal_source_new(number)) }

    /// No other source of the main loop is ready.
    package static var idle: Event { Event(g_idle_source_new()) }

    /// `condition` is true for a descriptor, which must stay open as long.
    package static func descriptor(_ descriptor: Int32, _ condition: GIOCondition) -> Event {
      let callback: GUnixFDSourceFunc = { _, _, data in SourceWatch.act(data) }
      // GLib declares every kind of callback as a GSourceFunc.
      return Event(g_unix_fd_source_new(descriptor, condition), unsafeBitCast(callback, to: GSourceFunc.self))
    }

    /// A pollable stream has data, or has ended.
    static func input(_ stream: OpaquePointer) -> Event {
      let callback: GPollableSourceFunc = { _, data in SourceWatch.act(data) }
      return Event(g_pollable_input_stream_create_source(stream, nil), unsafeBitCast(callback, to: GSourceFunc.self))
    }
  }

  /// An action, and whether it is called at each event or at the first one.
  private struct Callback {
    let action: Action
    let repeats: Bool
  }

  private var source: UnsafeMutablePointer<GSource>?

  /// - Parameter repeats: whether the action is called at each event, and not at the first one only.
  package init(_ event: Event, repeats: Bool = false, _ action: @escaping Action) {
    guard let source = event.source else { preconditionFailure("GLib made no source") }
    // No callback runs a main loop. Against that, GLib would take the source's descriptors out of the context during
    // each callback and put them back, at a system call each.
    g_source_set_can_recurse(source, 1)
    g_source_set_callback(
      source, event.callback, CallbackBox(Callback(action: action, repeats: repeats)).retained,
      CallbackBox<Callback>.release)
    g_source_attach(source, GLibActor.shared.executor.context)
    self.source = source
  }

  /// Stops watching.
  public final func cancel() {
    guard let source else { return }
    self.source = nil
    g_source_destroy(source)
    g_source_unref(source)
  }

  isolated deinit {
    cancel()
  }

  /// Calls the action in a callback's user data.
  private nonisolated static func act(_ data: UnsafeMutableRawPointer?) -> gboolean {
    let callback = CallbackBox<Callback>.of(data).closure
    GLibActor.assumeIsolated { callback.action() }
    return callback.repeats ? sourceContinue : sourceRemove
  }
}
