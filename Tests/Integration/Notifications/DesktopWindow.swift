// SPDX-License-Identifier: Apache-2.0
import Foundation
import GLibBridge

/// The desktop's window of a test's own: the bus can start it, and it records what other programs ask of it.
@GLibActor
final class DesktopWindow {
  enum Manner {
    case answers
    case refuses
    /// It receives calls and never answers.
    case silent
  }

  struct Action: Equatable {
    let name: String
    let parameters: [String]
    let activationToken: String?
  }

  private static let name = "org.chappie.Window"

  private let connection: BusConnection
  private let manner: Manner
  private var object: BusObject?
  private(set) var actions: [Action] = []

  init(_ world: World, _ manner: Manner = .answers) async throws {
    self.manner = manner
    connection = try await BusConnection.open(address: world.directories.busAddress)
    let implementation = try BusImplementation(
      BusInterfaceDescription(xml: Self.xml, name: "org.freedesktop.Application"),
      methods: [
        "ActivateAction": { [weak self] call in
          try await self?.perform(call)
          return .tuple()
        }
      ], properties: [:])
    object = try BusObject(
      connection, ObjectPath.root.appending("org").appending("chappie").appending("Window"), [implementation],
      rights: .init { _ in }
    ) { BusError(name: "org.freedesktop.DBus.Error.Failed", message: "\($0)") }
    guard try await connection.requestName(Self.name) == .owner else { throw UnmetCondition("the name of the window") }
    try "[D-BUS Service]\nName=\(Self.name)\nExec=/bin/false\n".write(
      to: world.directories.activation.appending(path: "\(Self.name).service"), atomically: true, encoding: .utf8)
    try await connection.call(DBus.name, DBus.path, DBus.name, "ReloadConfig")
  }

  /// The latest action, once there are `count`.
  func action(_ count: Int = 1) async throws -> Action {
    try await eventually("action \(count) of the window") { actions.count >= count }
    return actions[count - 1]
  }

  private func perform(_ call: BusCall) async throws {
    let context: VariantDictionary = try call.argument(2)
    actions.append(
      Action(
        name: try call.argument(0),
        parameters: try call.arguments.children[1].children.map { try String(variant: $0.unboxed) },
        activationToken: context.text("activation-token")))
    switch manner {
    case .answers: break
    case .refuses: throw BusError(name: "org.freedesktop.DBus.Error.Failed", message: "no display")
    case .silent: await Wait().value()
    }
  }

  private static let xml = """
    <node>
      <interface name="org.freedesktop.Application">
        <method name="ActivateAction">
          <arg type="s" direction="in"/><arg type="av" direction="in"/><arg type="a{sv}" direction="in"/>
        </method>
      </interface>
    </node>
    """
}
