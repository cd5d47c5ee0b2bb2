// SPDX-License-Identifier: Apache-2.0
import GLibBridge

/// An object of a caller that runs its tools.
@GLibActor
final class ToolHandler {
  /// A call of `org.chappie.ToolHandler`.
  struct Call {
    let turn: String
    let id: String
    let tool: String
    let arguments: String
  }

  static let path = ObjectPath.root.appending("tools")
  private static let interface = "org.chappie.ToolHandler"

  private(set) var calls: [Call] = []
  private var object: BusObject?

  /// - Parameters:
  ///   - type: the D-Bus type of its answers, which should be `s`.
  ///   - answer: the answer to a call; an error that it throws becomes the error reply.
  init(
    _ caller: Caller, type: String = "s", answer: @escaping @GLibActor (Call) async throws -> any VariantConvertible
  ) throws {
    let xml = try SourceTree.text(of: "dbus/org.chappie.ToolHandler.xml")
      .replacing(#"type="s" name="output""#, with: #"type="\#(type)" name="output""#)
    let implementation = try BusImplementation(
      BusInterfaceDescription(xml: xml, name: Self.interface),
      methods: [
        "Call": { [weak self] in
          let call = Call(
            turn: try $0.argument(0), id: try $0.argument(1), tool: try $0.argument(2), arguments: try $0.argument(3))
          self?.calls.append(call)
          return .tuple([try await answer(call).variant])
        }
      ], properties: [:])
    object = try BusObject(caller.connection, Self.path, [implementation], rights: .init { _ in }) { error in
      error as? BusError ?? BusError(name: "org.example.Error.Failed", message: "\(error)")
    }
  }

  /// Waits until so many calls have come.
  func waitForCalls(_ count: Int) async throws {
    try await eventually("\(count) calls of tools") { calls.count >= count }
  }
}

/// Waits until it is cancelled.
@GLibActor
func forever() async -> String {
  await Wait().value()
  return ""
}
