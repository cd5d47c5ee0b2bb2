// SPDX-License-Identifier: Apache-2.0
import ChappieBusInterfaces
import ChappieSDK
import GLibBridge

/// `org.chappie.Client`: a client on the bus. Its methods are in extensions.
@GLibActor
final class ClientObject {
  /// The users of the object, which decide the meaning of a turn without options.
  enum Sharing {
    /// All callers use it: a turn stands alone.
    case shared
    /// Only the caller that opened it uses it: a turn is part of the conversation.
    case opened(by: String)
  }

  let client: ChappieClient
  let sharing: Sharing
  let session: ObjectPath
  let environment: ServiceEnvironment
  let turns: TurnBook
  /// The registered tools by the bus names of their callers.
  var registrations: [String: RegisteredTools] = [:]
  /// The lease for the conversation's memory, of the application whose turn or change ended last. Nil before the first
  /// one, and while the conversation is too large to be counted.
  var contextLease: MemoryBudget.Lease?
  private var harnessLease: MemoryBudget.Lease?
  weak var object: BusObject?
  var usageObservation: Observation?
  var modelObservation: Observation?
  /// The model as last signalled.
  var shownModel: ShownModel?
  private var harnessShown: (harness: ChappieHarness, variant: Variant)?

  init(_ client: ChappieClient, sharing: Sharing, session: ObjectPath, _ environment: ServiceEnvironment) {
    self.client = client
    self.sharing = sharing
    self.session = session
    self.environment = environment
    turns = TurnBook(environment.memory)
  }

  func implementation() throws -> BusImplementation {
    let methods = [turnMethods, toolMethods, contextMethods, planMethods].reduce(into: [:]) { all, some in
      all.merge(some) { first, _ in first }
    }
    return try BusImplementation(
      BusInterfaceDescription(xml: BusInterfaceFiles.client, name: ServiceInterfaces.client), owner: self,
      methods: methods, descriptorMethods: lineMethods,
      properties: [
        "Model": { [unowned self] in client.model.variant },
        "ModelSource": { [unowned self] in client.modelSource.rawValue.variant },
        "UsageLimits": { [unowned self] in (client.latestUsageLimits?.dictionary ?? [:]).variant },
        "Harness": { [unowned self] in shownHarness },
        "ActiveTurns": { [unowned self] in turns.running.map(\.id).sorted().variant },
        "Session": { [unowned self] in session.variant },
        "Version": { UInt32(1).variant },
      ])
  }

  /// The `Harness` property, built once for each change: it is read more often than it changes.
  private var shownHarness: Variant {
    if let harnessShown, harnessShown.harness == client.harness { return harnessShown.variant }
    let variant = client.harness.dictionary.variant
    harnessShown = (client.harness, variant)
    return variant
  }

  /// Starts to send signals from `object`.
  func attach(_ object: BusObject) {
    self.object = object
    followUsageLimits()
    followModel()
  }

  /// Replaces the harness on behalf of `application`.
  ///
  /// - Throws: `ChappieClientError.limitExceeded`.
  func set(_ harness: ChappieHarness, of bytes: Int, for application: Application) throws {
    harnessLease = try environment.memory.lease(bytes * MemoryBudget.jsonFactor, for: application)
    client.harness = harness
  }

  /// Counts the memory of the whole conversation for `application`, whose turn or change has ended. If there is no
  /// room, the conversation stays without a lease, and the log says so.
  func countContext(for application: Application) {
    let bytes = client.contextFootprint
    contextLease = nil
    // There is room as a rule: the turn or call has just given back more memory than it added to the conversation.
    // There may be none for a conversation that another application had until now.
    contextLease = try? environment.memory.lease(bytes, for: application)
    if contextLease == nil { Log.warning("A conversation of \(application) is larger than what was counted for it.") }
  }

  /// Signals that `property` has changed.
  func changed(_ property: String) {
    object?.propertiesChanged(ServiceInterfaces.client, [property])
  }
}
