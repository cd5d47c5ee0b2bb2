import GLibBridge

/// Who uses the service, and what ends when they leave the bus.
@GLibActor
final class Callers {
  private final class Caller {
    var watch: BusNameWatch?
    var openObjects: Set<ObjectPath> = []
    var runningTurns: [String: ServiceTurn] = [:]

    var isIdle: Bool { openObjects.isEmpty && runningTurns.isEmpty }
  }

  private let connection: BusConnection
  private var callers: [String: Caller] = [:]
  /// Closes what a caller that left had open.
  var close: @GLibActor (_ object: ObjectPath, _ caller: String) -> Void = { _, _ in }

  init(_ connection: BusConnection) {
    self.connection = connection
  }

  // MARK: Objects

  /// Makes sure that `name` may open one more object.
  ///
  /// - Throws: `BusError` with `LimitExceeded`.
  func reserveObject(_ name: String) throws {
    guard callers[name]?.openObjects.count ?? 0 < Limits.openObjects else {
      throw BusError(
        .limitExceeded, "You have \(Limits.openObjects) sessions and clients open: close some before you open more.")
    }
  }

  func add(_ object: ObjectPath, to name: String) {
    caller(name).openObjects.insert(object)
  }

  /// - Returns: false when the caller did not open the object.
  func remove(_ object: ObjectPath, from name: String) -> Bool {
    guard callers[name]?.openObjects.remove(object) != nil else { return false }
    forgetIfIdle(name)
    return true
  }

  // MARK: Turns

  /// - Throws: `BusError` with `LimitExceeded`.
  func reserveTurn(_ name: String, promptBytes: Int) throws {
    guard callers[name]?.runningTurns.count ?? 0 < Limits.runningTurns else {
      throw BusError(
        .limitExceeded, "You have \(Limits.runningTurns) turns running: wait for one to end before you start more.")
    }
    guard promptBytes <= Limits.promptBytes else {
      throw BusError(
        .limitExceeded, "The text has \(promptBytes) bytes, and \(Limits.promptBytes) are allowed: send less.")
    }
  }

  /// Counts `turn` until it ends; it is cancelled when its caller leaves, unless it is broadcast.
  func add(_ turn: ServiceTurn) {
    caller(turn.caller).runningTurns[turn.id] = turn
  }

  func remove(_ turn: ServiceTurn) {
    callers[turn.caller]?.runningTurns[turn.id] = nil
    forgetIfIdle(turn.caller)
  }

  /// The turns that run for anybody.
  var runningTurns: [ServiceTurn] {
    callers.values.flatMap(\.runningTurns.values)
  }

  // MARK: Leaving

  private func caller(_ name: String) -> Caller {
    if let caller = callers[name] { return caller }
    let caller = Caller()
    callers[name] = caller
    caller.watch = connection.watchName(name) { [weak self] owner in
      if owner == nil { self?.left(name) }
    }
    return caller
  }

  private func left(_ name: String) {
    guard let caller = callers[name] else { return }
    for turn in caller.runningTurns.values where !turn.isBroadcast { turn.cancel() }
    for object in caller.openObjects { close(object, name) }
    caller.openObjects = []
    caller.watch = nil
    forgetIfIdle(name)
  }

  private func forgetIfIdle(_ name: String) {
    if callers[name]?.isIdle == true { callers[name] = nil }
  }
}
