import Platform

extension MemoryHardening {
  /// Gives the system back what the heap holds and nobody uses, a second later and off the actor: after many small
  /// blocks were freed.
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
