// SPDX-License-Identifier: Apache-2.0
import CGLib
import CLibsecret

/// An owned reference to libsecret's service object.
@GLibActor
final class SecretServiceReference {
  let pointer: UnsafeMutablePointer<SecretService>
  /// The unique bus name of the keyring that opened the session.
  let keyring: String?
  /// Whether the keyring has a `session` collection; nil when unknown.
  var hasSessionCollection: Bool?

  /// Whether it may prompt the user.
  let interaction: UserInteraction

  init(owning pointer: UnsafeMutablePointer<SecretService>, _ interaction: UserInteraction) {
    self.pointer = pointer
    self.interaction = interaction
    keyring = Self.owner(pointer)
  }

  /// Whether the session encrypts secrets on the bus. libsecret silently falls back to a plain session.
  var isEncrypted: Bool {
    secret_service_get_session_algorithms(pointer).map { String(cString: $0) != "plain" } ?? false
  }

  /// The object path of the session.
  var session: ObjectPath? {
    secret_service_get_session_dbus_path(pointer).flatMap { ObjectPath(String(cString: $0)) }
  }

  /// Whether the keyring still has the session. A restarted keyring has another unique name and no sessions.
  var hasSession: Bool { Self.owner(pointer) == keyring }

  private static func owner(_ service: UnsafeMutablePointer<SecretService>) -> String? {
    takeString(g_dbus_proxy_get_name_owner(proxy(service)))
  }

  private static func proxy(_ service: UnsafeMutablePointer<SecretService>) -> UnsafeMutablePointer<GDBusProxy> {
    UnsafeMutableRawPointer(service).assumingMemoryBound(to: GDBusProxy.self)
  }

  /// Calls a method of one of the keyring's objects. libsecret's own objects for items and collections make eight calls
  /// for one.
  ///
  /// - Throws: ``GLibError``, `CancellationError`.
  func call(
    _ path: String, _ interface: String, _ method: String, _ arguments: Variant, deadline: Duration
  ) async throws -> Variant {
    let connection = g_dbus_proxy_get_connection(Self.proxy(pointer))
    return try await asyncCall(deadline: deadline) { [keyring] cancellable, callback, data in
      g_dbus_connection_call(
        connection, keyring ?? "org.freedesktop.secrets", path, interface, method, arguments.pointer, nil,
        G_DBUS_CALL_FLAGS_NO_AUTO_START, -1, cancellable, callback, data)
    } finish: { result, error in
      g_dbus_connection_call_finish(connection, result, &error).map { Variant(taking: $0) }
    }
  }

  /// Reads all properties of one of the keyring's objects.
  ///
  /// - Throws: ``GLibError``, ``VariantError``, `CancellationError`.
  func properties(_ path: String, _ interface: String, deadline: Duration) async throws -> VariantDictionary {
    try await call(path, "org.freedesktop.DBus.Properties", "GetAll", .tuple(interface), deadline: deadline)
      .member(0, "properties")
  }

  isolated deinit {
    g_object_unref(pointer)
  }
}

/// Attributes in the form that libsecret uses: a hash table of strings that includes the schema's name.
@GLibActor
final class AttributeTable {
  let pointer: OpaquePointer

  init(_ attributes: [String: String], schema: String) {
    guard let table = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free) else {
      preconditionFailure("GLib made no hash table")
    }
    pointer = table
    for (key, value) in attributes.merging(["xdg:schema": schema], uniquingKeysWith: { $1 }) {
      g_hash_table_insert(table, g_strdup(key), g_strdup(value))
    }
  }

  isolated deinit {
    g_hash_table_unref(pointer)
  }
}

/// A subclass of `SecretService` that prompts, and whose operations also end when the prompt has no result. libsecret
/// 0.20 never returns when a keyring exits during a prompt.
enum PromptingSecretService {
  private static let errorDomain = "chappie-prompt-without-answer"

  static let type: GType = registerType("ChappiePromptingSecretService", parent: secret_service_get_type()) { type, _ in
    let functions = type?.assumingMemoryBound(to: SecretServiceClass.self)
    functions?.pointee.prompt_async = { service, prompt, answerType, cancellable, callback, data in
      let task = g_task_new(service, cancellable, callback, data)
      GLibActor.assumeIsolated { PromptThrottle.shared.promptBegins() }
      secret_prompt_perform(
        prompt, nil, answerType, cancellable, { prompt, result, task in finish(prompt, result, task) },
        task.map { UnsafeMutableRawPointer($0) })
    }
    functions?.pointee.prompt_finish = { _, result, error in
      g_task_propagate_pointer(result, error).map { OpaquePointer($0) }
    }
  }

  private static func finish(
    _ prompt: UnsafeMutablePointer<GObject>?, _ result: OpaquePointer?, _ data: UnsafeMutableRawPointer?
  ) {
    guard let data, let prompt else { return }
    let task = OpaquePointer(data)
    var error: UnsafeMutablePointer<GError>?
    let answer = UnsafeMutableRawPointer(prompt).withMemoryRebound(to: SecretPrompt.self, capacity: 1) {
      secret_prompt_perform_finish($0, result, &error)
    }
    if let answer {
      g_task_return_pointer(task, UnsafeMutableRawPointer(answer)) { g_variant_unref($0.map { OpaquePointer($0) }) }
    } else {
      g_task_return_error(
        task, error ?? g_error_new_literal(g_quark_from_string(errorDomain), 0, "the prompt ended without a result"))
    }
    g_object_unref(data)
  }
}

/// A subclass of `SecretService` that never prompts: an operation that needs a prompt fails.
enum NonPromptingSecretService {
  static let errorDomain = "chappie-prompt-not-allowed"

  static let type: GType = registerType("ChappieNonPromptingSecretService", parent: secret_service_get_type()) {
    type, _ in
    let functions = type?.assumingMemoryBound(to: SecretServiceClass.self)
    functions?.pointee.prompt_async = { service, _, _, cancellable, callback, data in
      let task = g_task_new(service, cancellable, callback, data)
      let quark = g_quark_from_string(errorDomain)
      g_task_return_error(task, g_error_new_literal(quark, 0, "the keyring needs to prompt the user"))
      g_object_unref(task.map { UnsafeMutableRawPointer($0) })
    }
    functions?.pointee.prompt_finish = { _, result, error in
      _ = g_task_propagate_pointer(result, error)
      return nil
    }
  }
}
