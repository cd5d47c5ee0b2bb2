// SPDX-License-Identifier: Apache-2.0
import CGLib
import CLibsecret

/// A subclass of `SecretService` that prompts, and whose operations also end when the prompt has no result. libsecret
/// 0.20 never returns when a keyring exits during a prompt.
enum PromptingSecretService {
  private static let errorDomain = "chappie-prompt-without-answer"

  static let type: GType = SecretServiceSubclass.register("ChappiePromptingSecretService") { serviceClass, _ in
    guard let serviceClass else { return }
    let functions = serviceClass.assumingMemoryBound(to: SecretServiceClass.self)
    functions.pointee.prompt_async = { service, prompt, answerType, cancellable, callback, data in
      let task = g_task_new(service, cancellable, callback, data)
      GLibActor.assumeIsolated { PromptThrottle.shared.promptBegins() }
      secret_prompt_perform(
        prompt, nil, answerType, cancellable, { prompt, result, task in finish(prompt, result, task) },
        task.map { UnsafeMutableRawPointer($0) })
    }
    functions.pointee.prompt_finish = { _, result, error in
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
        task, error ?? SecretServiceSubclass.error(errorDomain, "the prompt ended without a result"))
    }
    g_object_unref(data)
  }
}

/// A subclass of `SecretService` that never prompts: an operation that needs a prompt fails.
enum NonPromptingSecretService {
  static let errorDomain = "chappie-prompt-not-allowed"

  static let type: GType = SecretServiceSubclass.register("ChappieNonPromptingSecretService") { serviceClass, _ in
    guard let serviceClass else { return }
    let functions = serviceClass.assumingMemoryBound(to: SecretServiceClass.self)
    functions.pointee.prompt_async = { service, _, _, cancellable, callback, data in
      let task = g_task_new(service, cancellable, callback, data)
      g_task_return_error(task, SecretServiceSubclass.error(errorDomain, "the keyring needs to prompt the user"))
      g_object_unref(task.map { UnsafeMutableRawPointer($0) })
    }
    functions.pointee.prompt_finish = { _, result, error in
      _ = g_task_propagate_pointer(result, error)
      return nil
    }
  }
}

/// Helpers for subclasses of `SecretService` with their own prompt functions.
enum SecretServiceSubclass {
  /// Registers the GObject type `name`. `initialize` sets up its class.
  static func register(_ name: String, _ initialize: @escaping GClassInitFunc) -> GType {
    let parent = secret_service_get_type()
    var query = GTypeQuery()
    g_type_query(parent, &query)
    return g_type_register_static_simple(
      parent, name, query.class_size, initialize, query.instance_size, nil, GTypeFlags(rawValue: 0))
  }

  static func error(_ domain: String, _ message: String) -> UnsafeMutablePointer<GError>? {
    g_error_new_literal(g_quark_from_string(domain), 0, message)
  }
}
