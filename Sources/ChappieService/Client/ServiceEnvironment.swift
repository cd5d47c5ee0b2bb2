import GLibBridge

/// What the objects of the service share: who calls, what they may take, and who is asked.
@GLibActor
final class ServiceEnvironment {
  let connection: BusConnection
  let callers: Callers
  let groups = AccessGroups()
  let window: SendWindow
  let memory = MemoryBudget()
  /// Nil where the user wants none.
  let notifications: Notifications?
  let approvals: Approvals

  init(_ connection: BusConnection, notifications: Notifications?) {
    self.connection = connection
    callers = Callers(connection)
    window = SendWindow(connection)
    self.notifications = notifications
    approvals = Approvals(notifications)
  }
}
