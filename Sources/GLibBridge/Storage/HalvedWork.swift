import CGLib
import Synchronization

/// The two parts of what two threads do.
enum Half {
  case first
  case second
}

/// Does both halves at once, the second on a thread of its own, and waits for both.
///
/// - Returns: what `work` returned for the first and for the second.
func inHalves<Value: Sendable>(_ work: @escaping @Sendable (Half) -> Value) -> [Value] {
  let second = Handover<Value>()
  let thread = startThread { second.values.withLock { $0.append(work(.second)) } }
  let first = work(.first)
  g_thread_join(thread)
  return [first] + second.values.withLock { $0 }
}

private final class Handover<Value: Sendable>: Sendable {
  let values = Mutex<[Value]>([])
}
