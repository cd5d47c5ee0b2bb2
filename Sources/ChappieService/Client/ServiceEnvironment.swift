// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import ServiceConfiguration

/// The parts that all objects of the service share: callers, limits, approvals, consent and notifications.
@GLibActor
final class ServiceEnvironment {
  let connection: BusConnection
  /// The default configuration, which callers' options change.
  let defaults: ChappieConfiguration
  let models: ModelAliases
  let callers: Callers
  let signIns = SignIns()
  let groups = AccessGroups()
  let window: SendWindow
  let memory = MemoryBudget()
  let fileReadings = FileReadings()
  /// Nil if the user has turned notifications off.
  let notifications: Notifications?
  let approvals: Approvals
  let consent: BackgroundConsent
  let toolServers: ToolServers
  /// Nil if threads are off.
  private let threads: ThreadStores?

  init(_ connection: BusConnection, _ options: ServiceOptions) {
    self.connection = connection
    defaults = options.defaults
    models = options.models
    callers = Callers(connection)
    window = SendWindow { try? await connection.flush() }
    notifications = options.showsNotifications ? Notifications(connection) : nil
    approvals = Approvals(notifications)
    consent = BackgroundConsent(notifications)
    toolServers = ToolServers(isAllowed: options.allowsToolServers)
    threads = options.threads.map(ThreadStores.init)
    BackendLine.admission = { [callers] application throws(ChappieClientError) in
      guard callers.allowsRequest(of: application) else {
        throw .limitExceeded("This program sends too many requests to ChatGPT: wait a moment before the next.")
      }
    }
  }

  /// A client, and the interfaces of its object: with the threads beside it, if there are any.
  func client(
    _ configuration: ChappieConfiguration, sharing: ClientObject.Sharing, session: ObjectPath
  ) -> (client: ClientObject, interfaces: [any ServiceInterface]) {
    let client = ClientObject(
      Chappie.client(configuration: configuration), sharing: sharing, session: session, self)
    return (client, [client] + [threads.map { ThreadsObject(client, $0) }].compactMap(\.self))
  }
}
