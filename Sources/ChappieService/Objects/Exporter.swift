import ChappieSDK
import GLibBridge

/// What every object of the service needs to be on the bus.
@GLibActor
final class Exporter {
  let connection: BusConnection
  let callers: Callers
  let window: SendWindow
  let accounts: Accounts

  init(_ connection: BusConnection, defaults: ChappieConfiguration) {
    self.connection = connection
    callers = Callers(connection)
    window = SendWindow(connection)
    accounts = Accounts(defaults: defaults)
  }

  func export(
    _ path: ObjectPath, _ implementations: [BusImplementation], authorize: @escaping BusObject.Authorize
  ) throws -> BusObject {
    try BusObject(connection, path, implementations, authorize: authorize) { BusError($0) }
  }
}

/// The fixed paths.
enum ServicePaths {
  static let root = ObjectPath.root.appending("org").appending("chappie")
  static let accounts = root.appending("account")
}
