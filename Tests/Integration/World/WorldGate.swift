// SPDX-License-Identifier: Apache-2.0

/// Limits the number of worlds at a time: each has five processes.
@GLibActor
final class WorldGate {
  static let shared = WorldGate()

  /// At a terminal, programs that leave would count as a person's commands. Their worlds have none, as in CI.
  private init() {
    let terminal = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard terminal >= 0 else { return }
    _ = ioctl(terminal, UInt(TIOCNOTTY))
    close(terminal)
  }

  private var free = max(4, 2 * ProcessInfo.processInfo.activeProcessorCount)
  private var waiting: [Wait] = []

  func enter() async {
    guard free == 0 else { return free -= 1 }
    let turn = Wait()
    waiting.append(turn)
    await turn.value()
  }

  /// Passes the slot to the caller that has waited longest.
  func leave() {
    if waiting.isEmpty { free += 1 } else { waiting.removeFirst().finish() }
  }
}
