import CGLib
import CLibsecret

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
