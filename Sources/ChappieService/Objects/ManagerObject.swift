import ChappieBusInterfaces
import ChappieSDK
import GLibBridge

/// `org.chappie.Manager`: opens sessions and clients.
@GLibActor
final class ManagerObject {
  static let interface = "org.chappie.Manager"

  private let directory: ObjectDirectory

  init(_ directory: ObjectDirectory) {
    self.directory = directory
  }

  func implementation() throws -> BusImplementation {
    try BusImplementation(
      BusInterfaceDescription(xml: BusInterfaceFiles.manager, name: Self.interface),
      methods: [
        "OpenSession": { [directory] call in
          .tuple(try directory.openSession(try call.argument(0), for: call.sender))
        },
        "OpenClient": { [directory] call in
          .tuple(try directory.openClient(try call.argument(0), for: call.sender))
        },
        "Close": { [directory] call in
          try directory.close(try call.argument(0), by: call.sender)
          return .tuple()
        },
      ],
      properties: ["Version": { UInt32(1).variant }])
  }
}
