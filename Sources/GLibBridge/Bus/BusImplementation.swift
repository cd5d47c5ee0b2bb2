// SPDX-License-Identifier: Apache-2.0
import CGLib

/// The Swift implementation of one interface of an exported object: a handler for each method and property in the XML.
@GLibActor
public struct BusImplementation {
  public typealias Method = @GLibActor (BusCall) async throws -> Variant
  /// The value of a property for a reader, a unique name. The reader is nil for what everybody gets.
  public typealias Property = @GLibActor (_ reader: String?) -> Variant

  public let description: BusInterfaceDescription
  /// The object that the handlers use. It is kept alive while the object is exported and while its calls run.
  private let owner: AnyObject?
  let methods: [String: Method]
  private let properties: [String: Property]
  let signalTypes: [String: String]

  /// The value of a property for a reader; nil for a property that the interface does not have.
  func value(of property: String, for reader: String?) -> Variant? { properties[property]?(reader) }

  /// The values of all properties for a reader.
  func values(for reader: String?) -> VariantDictionary {
    var values = VariantDictionary()
    for (name, get) in properties { values.set(name, get(reader)) }
    return values
  }

  /// - Parameter owner: the object that the handlers use. The handlers may capture it unowned. It must not keep a
  ///   strong reference to the ``BusObject``.
  /// - Throws: ``GLibError``, which names each method and property in the XML without a handler, and each handler
  ///   without an entry in the XML.
  package init(
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

/// A method call from a peer.
public struct BusCall: Sendable {
  /// The caller's unique name.
  public let sender: String
  /// The arguments, of the types that the interface's XML declares.
  public let arguments: Variant
  /// Whether the message carries ALLOW_INTERACTIVE_AUTHORIZATION, so that the user may be prompted.
  public let allowsInteraction: Bool
  /// Finished when the reply to this call has been queued, so that later messages follow it. A handler must not wait
  /// for it.
  public let replied: Wait
  /// The files to which the handles in the arguments belong, and the one that goes with the reply.
  package var files = CallFiles()

  /// The argument at `index`, counted from 0.
  ///
  /// - Throws: ``VariantError`` when the argument has another type.
  public func argument<Value: VariantConvertible>(
    _ index: Int, as type: Value.Type = Value.self
  ) throws(VariantError) -> Value {
    try arguments.member(index, "argument \(index + 1)")
  }
}

/// A peer's request to an object, for authorization.
public struct BusRequest: Sendable, Equatable {
  /// The peer's unique name.
  public let sender: String
  public let interface: String
  /// Whether one or all properties of the interface are read. Otherwise a method is called.
  public let isPropertyRead: Bool
}
