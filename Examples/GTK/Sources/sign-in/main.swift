// The “Continue with ChatGPT” button with GTK 4. Its texts, its states and what it can do come from ChappieSignIn.
import CGTK
import ChappieSDK
import ChappieSDKTesting
import Foundation

typealias Widget = UnsafeMutablePointer<GtkWidget>

/// A closure that C keeps.
final class Handler: Sendable {
  let body: @MainActor () -> Void

  init(_ body: @escaping @MainActor () -> Void) {
    self.body = body
  }

  var pointer: gpointer { Unmanaged.passRetained(self).toOpaque() }

  static func run(_ pointer: gpointer?) {
    guard let pointer else { return }
    let handler = Unmanaged<Handler>.fromOpaque(pointer).takeUnretainedValue()
    MainActor.assumeIsolated { handler.body() }
  }

  static func release(_ pointer: gpointer?) {
    if let pointer { Unmanaged<Handler>.fromOpaque(pointer).release() }
  }
}

/// Runs `body` on GTK's thread, whose loop does not run Swift's tasks.
func onMainThread(_ body: @escaping @MainActor () -> Void) {
  let call: GSourceFunc = { handler in
    Handler.run(handler)
    return gboolean(0)
  }
  g_idle_add_full(G_PRIORITY_DEFAULT, call, Handler(body).pointer) { Handler.release($0) }
}

/// Calls `body` at each emission of a signal.
func on(_ signal: String, of object: gpointer, _ body: @escaping @MainActor () -> Void) {
  let callback: @convention(c) (gpointer?) -> Void = { Handler.run($0) }
  g_signal_connect_data(
    object, signal, unsafeBitCast(callback, to: GCallback.self), Handler(body).pointer,
    { handler, _ in Handler.release(handler) }, G_CONNECT_SWAPPED)
}

extension UnsafeMutablePointer {
  /// The same object as an instance of its class or of a class above it.
  func of<Object>(_ type: Object.Type) -> UnsafeMutablePointer<Object> {
    UnsafeMutableRawPointer(self).assumingMemoryBound(to: type)
  }
}

/// Shows the steps of a sign-in.
@MainActor final class SignInView {
  private let signIn: ChappieSignIn
  let box: Widget = gtk_box_new(GTK_ORIENTATION_VERTICAL, 12)
  private var problem: Widget?

  init(_ signIn: ChappieSignIn) {
    self.signIn = signIn
    Task.detached {
      for await step in signIn.updates { onMainThread { self.show(step) } }
    }
  }

  private func show(_ step: ChappieSignIn.Step) {
    while let child = gtk_widget_get_first_child(box) { gtk_box_remove(box.of(GtkBox.self), child) }
    for text in [step.title, step.message, step.code, step.planLine].compactMap(\.self) { add(label(text)) }
    if step.isBusy {
      let spinner = add(gtk_spinner_new())
      gtk_spinner_start(OpaquePointer(spinner))
    }
    if let link = step.link { add(gtk_link_button_new_with_label(link.address.absoluteString, link.title)) }
    let entry = step.actions.contains(.pasteAddress) ? add(gtk_entry_new()) : nil
    for action in step.actions {
      let button = add(gtk_button_new_with_label(action.title))
      on("clicked", of: button) { self.perform(action, entry) }
    }
    problem = add(label(""))
  }

  private func perform(_ action: ChappieSignIn.Action, _ entry: Widget?) {
    let address = entry.map { String(cString: gtk_editable_get_text(OpaquePointer($0))) } ?? ""
    Task.detached { [signIn] in
      do {
        try await signIn.perform(action, address: address)
      } catch {
        onMainThread { gtk_label_set_text(OpaquePointer(self.problem), "\(error)") }
      }
    }
  }

  @discardableResult
  private func add(_ widget: Widget) -> Widget {
    gtk_box_append(box.of(GtkBox.self), widget)
    return widget
  }

  private func label(_ text: String) -> Widget {
    let label: Widget = gtk_label_new(text)
    gtk_label_set_wrap(OpaquePointer(label), gboolean(1))
    gtk_label_set_selectable(OpaquePointer(label), gboolean(1))
    return label
  }
}

var configuration = ChappieConfiguration(
  keychainService: "org.example.SignIn", applicationID: try ChappieApplicationID("org.example.SignIn"),
  applicationName: "Sign-in")
// With the address of a chappie-sandbox, the program runs without an account of OpenAI.
if let server = g_getenv("STAND_IN").map({ String(cString: $0) }) {
  configuration = try configuration.servedBy(issuer: server, baseURL: server + "/backend-api")
}
let signIn = ChappieSignIn(authSession: Chappie.authSession(configuration: configuration))
let application: UnsafeMutablePointer<GtkApplication> = gtk_application_new(
  "org.example.SignIn", GApplicationFlags(rawValue: 0))
on("activate", of: application) {
  let window: Widget = gtk_application_window_new(application)
  gtk_window_set_title(window.of(GtkWindow.self), "Sign-in")
  gtk_window_set_child(window.of(GtkWindow.self), SignInView(signIn).box)
  gtk_window_present(window.of(GtkWindow.self))
}
exit(g_application_run(application.of(GApplication.self), 0, nil))
