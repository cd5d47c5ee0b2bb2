/// The Swift implementation of one interface of an exported object: a handler for each method and property in the XML.
@GLibActor
public struct BusImplementation {
  public typealias Method = @GLibActor (BusCall) async throws -> Variant
  public typealias Property = @GLibActor () -> Variant

  public let description: BusInterfaceDescription
  /// The object that the handlers use. It is kept alive while the object is exported and while its calls run.
  private let owner: AnyObject?
  let methods: [String: Method]
  let properties: [String: Property]
  let signalTypes: [String: String]

  /// - Parameter owner: the object that the handlers use. The handlers may capture it unowned. It must not keep a
  ///   strong reference to the ``BusObject``.
  /// - Throws: ``GLibError``, which names each method and property in the XML without a handler, and each handler
  ///   without an entry in the XML.
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
