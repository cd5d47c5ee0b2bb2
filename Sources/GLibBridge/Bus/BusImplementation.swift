/// The Swift side of one interface of one exported object: a handler for each member that the XML names.
@GLibActor
public struct BusImplementation {
  public typealias Method = @GLibActor (BusCall) async throws -> Variant
  public typealias Property = @GLibActor () -> Variant

  public let description: BusInterfaceDescription
  /// What the handlers work on: kept while the object is on the bus, and while calls of it run.
  private let owner: AnyObject?
  let methods: [String: Method]
  let properties: [String: Property]
  let signalTypes: [String: String]

  /// - Parameter owner: what the handlers work on. They may refer to it unowned, for calls keep it; it must not keep the
  ///   ``BusObject``.
  /// - Throws: ``GLibError`` that names each method and property that has no handler, or whose handler the XML does
  ///   not know.
  public init(
    _ description: BusInterfaceDescription, owner: AnyObject? = nil, methods: [String: Method],
    properties: [String: Property]
  ) throws {
    self.description = description
    self.owner = owner
    self.methods = methods
    self.properties = properties
    signalTypes = description.signalTypes
    let wrong =
      Set(description.methods).symmetricDifference(methods.keys).sorted()
      + Set(description.properties).symmetricDifference(properties.keys).sorted()
    guard wrong.isEmpty else {
      throw GLibError(
        domain: "chappie-bus", code: 1,
        message: "\(description.name): XML and handlers disagree on \(wrong.joined(separator: ", "))")
    }
  }
}
