// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge

/// Puts objects on the bus.
@GLibActor
final class ObjectExporter {
  let environment: ServiceEnvironment
  let accounts: Accounts
  /// Nil if threads are off.
  private let threads: ThreadStores?

  init(_ environment: ServiceEnvironment, defaults: ChappieConfiguration, threads: ThreadStores?) {
    self.environment = environment
    accounts = Accounts(defaults: defaults)
    self.threads = threads
  }

  func export(
    _ path: ObjectPath, _ implementations: [BusImplementation], _ rights: BusObject.Rights
  ) throws -> BusObject {
    try BusObject(environment.connection, path, implementations, rights: rights) { BusError($0) }
  }

  /// - Parameter place: an object that callers share, or the path of one that they open.
  func session(_ configuration: ChappieConfiguration, _ place: SignIns.Holder = .shared) -> SessionObject {
    SessionObject(Chappie.authSession(configuration: configuration), place, environment)
  }

  func client(
    _ configuration: ChappieConfiguration, sharing: ClientObject.Sharing, session: ObjectPath
  ) -> ExportedClient {
    let client = ClientObject(
      Chappie.client(configuration: configuration), sharing: sharing, session: session, environment)
    return ExportedClient(client: client, threads: threads.map { ThreadsObject(client, $0) })
  }
}

/// A client with the threads beside it, on one object.
@GLibActor
struct ExportedClient {
  let client: ClientObject
  /// Nil if threads are off.
  let threads: ThreadsObject?

  func implementations() throws -> [BusImplementation] {
    try [client.implementation()] + [threads?.implementation()].compactMap(\.self)
  }

  var interfaceNames: [String] { [ServiceInterfaces.client] + (threads == nil ? [] : [ServiceInterfaces.threads]) }

  /// Starts to send signals from `object`.
  func attach(_ object: BusObject) {
    client.attach(object)
    threads?.attach(object)
  }
}
