import GLibBridge

/// A service that has no more of `org.chappie.Threads` than this.
@GLibActor
final class ThreadsStandIn {
  private static let xml = """
    <node>
      <interface name="org.chappie.Threads">
        <method name="Archive"><arg type="s" name="thread" direction="in"/></method>
        <method name="Delete"><arg type="s" name="thread" direction="in"/></method>
        <method name="DeleteAll"/>
        <method name="GetUsage"><arg type="a{sv}" name="usage" direction="out"/></method>
      </interface>
    </node>
    """

  /// The methods that were called, but for `GetUsage`.
  private(set) var calls: [String] = []
  /// What `GetUsage` answers.
  var usage: VariantDictionary = [:]
  private var object: BusObject?

  init(_ caller: Caller) async throws {
    let implementation = try BusImplementation(
      BusInterfaceDescription(xml: Self.xml, name: "org.chappie.Threads"), owner: self,
      methods: [
        "Archive": { [unowned self] in try note("Archive", $0.argument(0)) },
        "Delete": { [unowned self] in try note("Delete", $0.argument(0)) },
        "DeleteAll": { [unowned self] _ in try note("DeleteAll") },
        "GetUsage": { [unowned self] _ in .tuple(usage) },
      ], properties: [:])
    object = try BusObject(caller.connection, .chappie, [implementation], authorize: { _ in }) { error in
      error as? BusError ?? BusError(name: "org.chappie.Error.NoSuchThread", message: "There is no such thread.")
    }
    _ = try await caller.connection.requestName("org.chappie")
  }

  /// A thread of no digits is not there.
  private func note(_ member: String, _ thread: String = "0") throws -> Variant {
    guard thread.contains(where: \.isNumber) else { throw Impatience("a thread") }
    calls.append("\(member) \(thread)")
    return .tuple([])
  }
}
