// SPDX-License-Identifier: Apache-2.0
import ChappieBusInterfaces
import ChappieSDK
import GLibBridge
import ServiceConfiguration

/// `org.chappie.Client`: a client on the bus. Its methods are in extensions.
@GLibActor
final class ClientObject: ServiceInterface {
  static let interface = "org.chappie.Client"
  static var xml: String { BusInterfaceFiles.client }

  /// The users of the object, which decide the meaning of a turn without options.
  enum Sharing {
    /// All callers use it: a turn stands alone.
    case shared
    /// Only the caller that opened it uses it: a turn is part of the conversation.
    case opened
  }

  let client: ChappieClient
  let sharing: Sharing
  let environment: ServiceEnvironment
  let signals = InterfaceSignals()
  let turns: TurnBook
  /// The registered tools by the bus names of their callers, and the leases for their memory.
  var registrations: [String: (tools: ToolRegistration, lease: MemoryBudget.Lease)] = [:]
  private let session: ObjectPath
  /// The lease for the conversation's memory, of the application whose turn or change ended last. Nil before the first
  /// one, and while the conversation is too large to be counted.
  private var contextLease: MemoryBudget.Lease?
  private var harnessLease: MemoryBudget.Lease?
  private var observations: [Observation] = []
  private var harnessShown: (harness: ChappieHarness, variant: Variant)?

  init(_ client: ChappieClient, sharing: Sharing, session: ObjectPath, _ environment: ServiceEnvironment) {
    self.client = client
    self.sharing = sharing
    self.session = session
    self.environment = environment
    turns = TurnBook(environment.memory)
  }

  var methods: [String: Handler] {
    [turnMethods, toolMethods, contextMethods, planMethods].reduce(into: [:]) { all, some in
      all.merge(some) { first, _ in first }
    }
  }

  var properties: [String: BusImplementation.Property] {
    [
      "Model": { [client] _ in client.model.variant },
      "ModelSource": { [client] _ in client.modelSource.rawValue.variant },
      "UsageLimits": { [client] _ in (client.latestUsageLimits?.dictionary ?? [:]).variant },
      "Harness": { [unowned self] _ in shownHarness },
      "ActiveTurns": { [turns] _ in turns.running.map(\.id).sorted().variant },
      "Session": { [session] _ in session.variant },
    ]
  }

  /// The `Harness` property, built once for each change: it is read more often than it changes.
  private var shownHarness: Variant {
    if let harnessShown, harnessShown.harness == client.harness { return harnessShown.variant }
    let variant = client.harness.dictionary.variant
    harnessShown = (client.harness, variant)
    return variant
  }

  func wasExported() {
    signals.watch(properties.filter { ["Model", "ModelSource"].contains($0.key) })
    observations = [
      // Every client of the sign-in changes the limits, and the backend changes the model, too.
      client.observeUsageLimits { [signals] in signals.changed(["UsageLimits"]) },
      client.observeModel { [signals] in signals.compare() },
    ]
  }

  /// The models and the usage limits of the plan.
  private var planMethods: [String: Handler] {
    [
      "ListModels": { [client, environment] call in
        let filter = try ChappieModelFilter(try call.argument(0, as: VariantDictionary.self))
        let models = try await environment.callers.querying(call.sender) {
          try await client.models(filter: filter, interaction: call.interaction)
        }
        return .tuple(models.map { $0.dictionary(environment.models.names(of: $0.slug)) })
      },
      "SelectModel": action { [client, environment, signals] call in
        let slug = try VariantDictionary.checkedName(try call.argument(0), "slug")
        await client.selectModel(environment.models.slug(slug))
        signals.compare()
      },
      "GetUsageLimits": { [client, environment] call in
        let limits = try await environment.callers.querying(call.sender) {
          try await client.usageLimits(interaction: call.interaction)
        }
        return .tuple(limits.dictionary)
      },
    ]
  }

  /// The application that makes a call.
  func application(of call: BusCall) async -> Application { await environment.callers.application(of: call.sender) }

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
}
