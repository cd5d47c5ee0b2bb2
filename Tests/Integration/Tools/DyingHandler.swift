// SPDX-License-Identifier: Apache-2.0
import Foundation
import GLibBridge

/// A program with a tool that never answers, to be killed by the test.
@GLibActor
struct DyingHandler {
  let process: ChildProcess

  /// Starts the program and a broadcast turn of its own that calls the tool; returns when the call has come.
  init(_ world: World) async throws {
    process = try ChildProcess("handler", "/usr/bin/python3", ["-c", Self.script], in: world.directories)
    let process = process
    try await eventually("a call of the tool") { process.output.contains("called\n") || process.end != nil }
    guard process.end == nil else { throw UnmetCondition("a program that runs; it wrote \(process.output)") }
  }

  /// The name of its turn.
  var turn: String {
    process.output.split(separator: "\n").first { $0.hasPrefix("turn-") }.map(String.init) ?? ""
  }

  func die() async throws {
    process.send(SIGKILL)
    _ = try await process.waitForEnd()
  }

  private static let script = """
    from gi.repository import Gio, GLib
    bus = Gio.bus_get_sync(Gio.BusType.SESSION)
    xml = '<node><interface name="org.chappie.ToolHandler"><method name="Call"><arg type="s" direction="in"/>' \\
        '<arg type="s" direction="in"/><arg type="s" direction="in"/><arg type="s" direction="in"/>' \\
        '<arg type="s" direction="out"/></method></interface></node>'
    bus.register_object('/tools', Gio.DBusNodeInfo.new_for_xml(xml).interfaces[0],
                        lambda *call: print('called', flush=True))
    def call(member, arguments):
        return bus.call_sync('org.chappie', '/org/chappie', 'org.chappie.Client', member, arguments, None, 0, -1, None)
    call('RegisterTools', GLib.Variant('(aa{sv}o)', ([{'name': GLib.Variant('s', 'look')}], '/tools')))
    options = {'broadcast': GLib.Variant('b', True)}
    print(call('Stream', GLib.Variant('(sa{sv})', ('use look', options))).unpack()[0], flush=True)
    GLib.MainLoop().run()
    """
}
