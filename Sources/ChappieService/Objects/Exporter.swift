import ChappieSDK
import GLibBridge

/// What every object of the service needs to be on the bus.
@GLibActor
final class Exporter {
  let connection: BusConnection
  let callers: Callers
  let groups = AccessGroups()
  let window: SendWindow
  let memory = MemoryBudget()
  let accounts: Accounts
  /// Nil where the user wants none.
  let notifications: Notifications?
  let approvals: Approvals
  /// Nil where no threads are kept.
  let threads: ThreadStores?

  init(
    _ connection: BusConnection, defaults: ChappieConfiguration, notifications: Notifications?, threads: ThreadStores?
  ) {
    self.connection = connection
    callers = Callers(connection)
    window = SendWindow(connection)
    accounts = Accounts(defaults: defaults)
    self.notifications = notifications
    approvals = Approvals(notifications)
    self.threads = threads
  }

  func export(
    _ path: ObjectPath, _ implementations: [BusImplementation], _ rights: BusObject.Rights
  ) throws -> BusObject {
    try BusObject(connection, path, implementations, rights: rights) { BusError($0) }
  }
}

/// The fixed paths.
enum ServicePaths {
  static let root = ObjectPath.root.appending("org").appending("chappie")
  static let accounts = root.appending("account")
}
