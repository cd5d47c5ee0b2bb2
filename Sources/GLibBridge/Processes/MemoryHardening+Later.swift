// SPDX-License-Identifier: Apache-2.0
import Platform

extension MemoryHardening {
  /// Returns unused heap memory to the system after a second, off the actor. Call it after many small blocks were
  /// freed. Calls within that second are combined.
  @GLibActor
  public static func trimHeapSoon() {
    guard trimming == nil else { return }
    trimming = Timer(after: .seconds(1)) {
      trimming = nil
      Task.onGLib { await offActor { trimHeap() } }
    }
  }

  @GLibActor private static var trimming: Timer?
}
