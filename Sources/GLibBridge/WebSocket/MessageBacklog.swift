import CGLib

/// A queue of received messages without a reader. libsoup continues to read meanwhile.
struct MessageBacklog: ~Copyable {
  /// The maximum size of the queue, in bytes.
  private static let limit = 32 << 20

  private var messages: [OpaquePointer] = []
  /// The index of the first message in the queue. The array is cleared when the queue is empty.
  private var first = 0
  private var bytes = 0

  var isEmpty: Bool { messages.isEmpty }
  var isFull: Bool { bytes > Self.limit }

  /// Keeps a reference to `message`.
  mutating func append(_ message: OpaquePointer) {
    bytes += Int(g_bytes_get_size(message))
    messages.append(g_bytes_ref(message))
  }

  /// Removes the oldest message and transfers its reference to the caller.
  mutating func popFirst() -> OpaquePointer? {
    guard first < messages.count else { return nil }
    let message = messages[first]
    bytes -= Int(g_bytes_get_size(message))
    first += 1
    if first == messages.count {
      messages.removeAll(keepingCapacity: first <= 1024)
      first = 0
    }
    return message
  }

  deinit {
    for message in messages[first...] { g_bytes_unref(message) }
  }
}
