// SPDX-License-Identifier: Apache-2.0

/// The flow-control window of ``BusRelay``: the messages that it has forwarded and the actor has not dispatched. It is
/// small, because GDBus dispatches in order of arrival.
///
/// The relay sends a marker after each half of the window.
struct RelayWindow {
  struct Bounds: Sendable {
    var messages = 64
    /// A longer message is forwarded only when the window is empty.
    var bytes = 1 << 20
  }

  private struct Batch {
    var messages = 0
    var bytes = 0
  }

  private let bounds: Bounds
  private var all = Batch()
  private var open = Batch()
  /// The batches before markers that have not been dispatched.
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

  /// Closes the current batch and returns its marker.
  mutating func marker() -> ArraySlice<UInt8> {
    marked.append(open)
    open = Batch()
    return RelayMessage.marker[...]
  }

  /// Removes the batches of markers that have been dispatched.
  mutating func dispatched(_ markers: Int) {
    for _ in 0..<markers {
      guard let batch = marked.popFirst() else { return }
      all.messages -= batch.messages
      all.bytes -= batch.bytes
    }
  }
}
