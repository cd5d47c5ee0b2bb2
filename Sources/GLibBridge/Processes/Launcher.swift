// SPDX-License-Identifier: Apache-2.0
import CGLib
import Glibc

/// A launcher of programs that receive all signals. The thread of ``GLibActor`` may block them, as those of Swift's pool
/// do; a program would inherit that, and miss SIGTERM.
func makeLauncher(_ flags: GSubprocessFlags) -> OpaquePointer? {
  let launcher = g_subprocess_launcher_new(flags)
  // It runs in the child, where only functions that are safe in a signal handler may be called.
  let unblock: GSpawnChildSetupFunc = { _ in
    var none = sigset_t()
    sigemptyset(&none)
    sigprocmask(SIG_SETMASK, &none, nil)
  }
  g_subprocess_launcher_set_child_setup(launcher, unblock, nil, nil)
  return launcher
}
