// SPDX-License-Identifier: Apache-2.0

/// A list of observers, which are called in the order of their registration.
@GLibActor
public final class Observers<Value> {
  private var observers: [(id: Int, notify: @GLibActor (Value) -> Void)] = []
  private var nextID = 0

  public nonisolated init() {}

  /// Calls each observer with `value`.
  public func notify(_ value: Value) {
    for observer in observers { observer.notify(value) }
  }

  /// Registers an observer until the returned observation is released.
  public func observe(_ observer: @escaping @GLibActor (Value) -> Void) -> Observation {
    let id = nextID
    observeForGood(observer)
    return Observation {
      let ended = self.observers.firstIndex { $0.id == id }.map { self.observers.remove(at: $0) }
      // It dies after the change of the list: it may hold another observation, whose end changes the list too.
      withExtendedLifetime(ended) {}
    }
  }

  /// Registers an observer for the lifetime of this list.
  public func observeForGood(_ observer: @escaping @GLibActor (Value) -> Void) {
    observers.append((nextID, observer))
    nextID += 1
  }
}

/// The registration of an observer, which ends when it is released.
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

/// A weak reference, for use in collections.
public struct Weak<Object: AnyObject> {
  public private(set) weak var value: Object?

  public init(_ value: Object) {
    self.value = value
  }
}
