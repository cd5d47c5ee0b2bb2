import CGLib
import CLibsecret

/// A `SecretService` that never prompts: where libsecret would show a prompt, the call fails instead.
enum QuietSecretService {
  static let errorDomain = "chappie-prompt-not-allowed"

  static let type: GType = {
    let parent = secret_service_get_type()
    var query = GTypeQuery()
    g_type_query(parent, &query)
    return g_type_register_static_simple(
      parent, "ChappieQuietSecretService", query.class_size,
      { serviceClass, _ in
        guard let serviceClass else { return }
        let functions = serviceClass.assumingMemoryBound(to: SecretServiceClass.self)
        functions.pointee.prompt_async = { service, _, _, cancellable, callback, data in
          let task = g_task_new(service, cancellable, callback, data)
          let quark = g_quark_from_string(errorDomain)
          g_task_return_error(task, g_error_new_literal(quark, 0, "the keyring would have to ask the user"))
          g_object_unref(task.map { UnsafeMutableRawPointer($0) })
        }
        functions.pointee.prompt_finish = { _, result, error in
          _ = g_task_propagate_pointer(result, error)
          return nil
        }
      }, query.instance_size, nil, GTypeFlags(rawValue: 0))
  }()
}
