// SPDX-License-Identifier: Apache-2.0

/// A message bus of the world's own, by default its session bus. It can start the world's services and none of the
/// machine's.
@GLibActor
final class PrivateBus {
  private let directories: WorldDirectories
  private let name: String
  private let address: String
  private var process: ChildProcess?

  init(_ directories: WorldDirectories, name: String = "bus", address: String? = nil) {
    self.directories = directories
    self.name = name
    self.address = address ?? directories.busAddress
  }

  func start() async throws {
    let file = directories.root.appending(path: "\(name).conf")
    try configuration.write(to: file, atomically: true, encoding: .utf8)
    process = try ChildProcess(
      name, "dbus-daemon", ["--config-file=\(file.path)", "--nofork", "--nopidfile"], in: directories)
    try await eventually("the bus") {
      (try? await BusConnection.open(address: address)) != nil
    }
  }

  /// Its process; nil when it does not run.
  var id: pid_t? { process?.id }

  /// Kills it, as a crash does.
  func kill() async throws {
    process?.send(SIGKILL)
    _ = try await process?.waitForEnd()
    process = nil
  }

  func end() async {
    await process?.terminate()
    process = nil
  }

  /// The configuration of a desktop's session bus, without its limits.
  private var configuration: String {
    """
    <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
     "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
    <busconfig>
      <type>session</type>
      <listen>\(address)</listen>
      <auth>EXTERNAL</auth>
      <servicedir>\(directories.activation.path)</servicedir>
      <policy context="default">
        <allow send_destination="*" eavesdrop="true"/>
        <allow eavesdrop="true"/>
        <allow own="*"/>
      </policy>
      <limit name="max_incoming_bytes">1000000000</limit>
      <limit name="max_outgoing_bytes">1000000000</limit>
      <limit name="max_message_size">1000000000</limit>
      <limit name="max_message_unix_fds">32</limit>
      <limit name="max_match_rules_per_connection">50000</limit>
      <limit name="max_replies_per_connection">50000</limit>
    </busconfig>
    """
  }
}
