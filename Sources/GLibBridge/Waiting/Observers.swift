/// The observers of a value, in the order in which they came.
@GLibActor
public final class Observers<Value> {
  private var observers: [(id: Int, notify: @GLibActor (Value) -> Void)] = []
  private var nextID = 0

  public nonisolated init() {}

  /// Calls each observer with `value`.
  public func notify(_ value: Value) {
    for observer in observers { observer.notify(value) }
  }

  /// Has `observer` called for as long as the result is kept.
  public func observe(_ observer: @escaping @GLibActor (Value) -> Void) -> Observation {
    let id = nextID
    observeForGood(observer)
    return Observation { self.observers.removeAll { $0.id == id } }
  }

  /// Has `observer` called for as long as these observers exist.
  public func observeForGood(_ observer: @escaping @GLibActor (Value) -> Void) {
    observers.append((nextID, observer))
    nextID += 1
  }
}

/// The registration of an observer. It ends when it is released.
@GLibActor
public final class Observation {
  private let end: @GLibActor () -> Void

  init(end: @escaping @GLibActor () -> Void) {
    self.end = end
  }

  isolated deinit {
    end()
  }
}
