/// What ``BusRelay`` has handed on and the actor has not dispatched yet: as little as keeps both busy, for what waits
/// in GDBus is not in turn.
///
/// A marker follows each half of it.
struct RelayWindow {
  struct Bounds: Sendable {
    var messages = 64
    /// A message that is longer goes when nothing else is under way.
    var bytes = 1 << 20
  }

  private struct Batch {
    var messages = 0
    var bytes = 0
  }

  private let bounds: Bounds
  private var all = Batch()
  private var open = Batch()
  /// What stands before a marker that has not come back.
  private var marked: ArraySlice<Batch> = []

  init(_ bounds: Bounds) {
    self.bounds = bounds
  }

  var isFull: Bool { all.messages >= bounds.messages || all.bytes >= bounds.bytes }

  mutating func add(_ bytes: Int) {
    all.messages += 1
    all.bytes += bytes
    open.messages += 1
    open.bytes += bytes
  }

  var wantsMarker: Bool { open.messages * 2 >= bounds.messages || open.bytes * 2 >= bounds.bytes }

  /// The marker to hand on now.
  mutating func marker() -> ArraySlice<UInt8> {
    marked.append(open)
    open = Batch()
    return RelayMessage.marker[...]
  }

  /// So many markers have come back.
  mutating func dispatched(_ markers: Int) {
    for _ in 0..<markers {
      guard let batch = marked.popFirst() else { return }
      all.messages -= batch.messages
      all.bytes -= batch.bytes
    }
  }
}
