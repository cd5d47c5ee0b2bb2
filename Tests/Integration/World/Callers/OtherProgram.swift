// SPDX-License-Identifier: Apache-2.0
import Foundation
import GLibBridge

extension World {
  /// A caller in another process. The service sees all callers of ``caller()`` as one program, this test's.
  func otherProgram() async throws -> Caller {
    let socket = try directories.newLog("other").deletingPathExtension().path
    let proxy = try ChildProcess("other", "xdg-dbus-proxy", [directories.busAddress, socket], in: directories)
    adopt(proxy)
    try await eventually("the other program") {
      guard proxy.end == nil else { throw UnmetCondition("another program; it wrote \(proxy.output)") }
      return (try? await BusConnection.open(address: "unix:path=\(socket)")) != nil
    }
    return try await Caller("unix:path=\(socket)")
  }
}
