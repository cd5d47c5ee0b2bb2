import ChappieBusInterfaces
import ChappieSDK
import GLibBridge

/// `org.chappie.Client`: a client on the bus. What its methods do is in the extensions beside it.
@GLibActor
final class ClientObject {
  /// Who may use the object, which decides what a turn without options means.
  enum Sharing {
    /// Everybody: a turn stands alone.
    case shared
    /// The caller that opened it: a turn is part of the conversation.
    case opened(by: String)
  }

  let client: ChappieClient
  let sharing: Sharing
  let session: ObjectPath
  let environment: ServiceEnvironment
  let turns: TurnBook
  /// What callers have registered, by their names on the bus.
  var registrations: [String: RegisteredTools] = [:]
  /// For the conversation, and for the harness, on behalf of who made them as they are.
  var contextLease: MemoryBudget.Lease?
  private var harnessLease: MemoryBudget.Lease?
  weak var object: BusObject?
  var usageObservation: Observation?
  var modelObservation: Observation?
  /// What was last told of the model.
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
      methods: methods,
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

  /// The harness as it is read. A large one is made once: properties are read more often than they change.
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

  /// Counts the conversation, which a call of `application` has changed.
  func countContext(for application: Application) {
    let bytes = client.contextFootprint
    contextLease = nil
    // It was counted as a part of the turn or the call that made it, which gave back more.
    contextLease = try? environment.memory.lease(bytes, for: application)
    if contextLease == nil { Log.warning("A conversation of \(application) is larger than what was counted for it.") }
  }

  /// Tells everybody that `property` has another value.
  func changed(_ property: String) {
    object?.propertiesChanged(ServiceInterfaces.client, [property])
  }
}
