// SPDX-License-Identifier: Apache-2.0

/// A TPM in software, which keeps its keys in a directory.
@GLibActor
final class SoftwareTPM {
  private let directories: WorldDirectories
  private let directory: URL
  private var process: ChildProcess?
  private var socket: String { directory.appending(path: "s").path }

  init(in world: World) async throws {
    directories = world.directories
    directory = world.directories.root.appending(path: "tpm")
    try await start()
    world.adopt(ending: { await self.stop() })
  }

  /// The environment that makes systemd-creds use it.
  var environment: [String: String] { ["SYSTEMD_TPM2_DEVICE": "swtpm:path=\(socket)"] }

  func start() async throws {
    let state = directory.appending(path: "state")
    try FileManager.default.createDirectory(at: state, withIntermediateDirectories: true)
    let process = try ChildProcess(
      "swtpm", "swtpm",
      [
        "socket", "--tpm2", "--tpmstate", "dir=\(state.path)", "--server", "type=unixio,path=\(socket)", "--ctrl",
        "type=unixio,path=\(socket).ctrl", "--flags", "not-need-init,startup-clear",
      ], in: directories)
    self.process = process
    try await eventually("the TPM") {
      guard process.end == nil else { throw UnmetCondition("a TPM; it wrote \(process.output)") }
      return FileManager.default.fileExists(atPath: socket + ".ctrl") && FileManager.default.fileExists(atPath: socket)
    }
  }

  func stop() async {
    process?.send(SIGTERM)
    _ = try? await process?.waitForEnd()
    process = nil
    for path in [socket, socket + ".ctrl"] { try? FileManager.default.removeItem(atPath: path) }
  }

  /// Restarts: a TPM has few sessions, and no kernel here closes those of ended programs.
  func reset() async throws {
    await stop()
    try await start()
  }

  /// Deletes its keys, as the owner's clear does.
  func clear() async throws {
    await stop()
    try FileManager.default.removeItem(at: directory)
    try await start()
  }

  /// The reason that it cannot be used here; nil where it can.
  nonisolated static let obstacle: String? = {
    for program in ["swtpm", "systemd-creds"] where !Programs.exist(program) { return "\(program) is not installed" }
    // Later versions ask the system's instance, which does not know this TPM.
    let isOld = Programs.succeeds(
      "sh", ["-c", "test $(systemd-creds --version | sed 's/[^0-9]*\\([0-9]*\\).*/\\1/;q') -lt 256"])
    return isOld || geteuid() == 0 ? nil : "systemd-creds uses the TPM of the system alone"
  }()
}
