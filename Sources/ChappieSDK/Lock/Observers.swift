import GLibBridge

/// Who wants to hear of each new value, in the order in which they came.
@GLibActor
final class Observers<Value> {
  private var observers: [(id: Int, tell: @GLibActor (Value) -> Void)] = []
  private var nextID = 0

  nonisolated init() {}

  func tell(_ value: Value) {
    for observer in observers { observer.tell(value) }
  }

  /// Has `observer` told for as long as the result is kept.
  func observe(_ observer: @escaping @GLibActor (Value) -> Void) -> Observation {
    let id = nextID
    observeForGood(observer)
    return Observation { self.observers.removeAll { $0.id == id } }
  }

  /// Has `observer` told for as long as these observers are there.
  func observeForGood(_ observer: @escaping @GLibActor (Value) -> Void) {
    observers.append((nextID, observer))
    nextID += 1
  }
}

/// That somebody observes something. It ends when it is let go.
@GLibActor
package final class Observation {
  private let end: @GLibActor () -> Void

  init(end: @escaping @GLibActor () -> Void) {
    self.end = end
  }

  isolated deinit {
    end()
  }
}
