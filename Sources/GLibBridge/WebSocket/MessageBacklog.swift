import CGLib

/// Messages that wait for a reader, as libsoup made them: it reads on while nobody does here.
struct MessageBacklog: ~Copyable {
  /// What may wait, in bytes.
  private static let limit = 32 << 20

  private var messages: [OpaquePointer] = []
  /// The index of the first one that waits: those before it are gone, and the array moves up only when all are.
  private var first = 0
  private var bytes = 0

  var isEmpty: Bool { messages.isEmpty }
  var isFull: Bool { bytes > Self.limit }

  /// Keeps a reference to `message`.
  mutating func append(_ message: OpaquePointer) {
    bytes += Int(g_bytes_get_size(message))
    messages.append(g_bytes_ref(message))
  }

  /// Hands over the reference to the message that waits longest.
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
