// SPDX-License-Identifier: Apache-2.0

/// The files of a world, and the environment of its processes.
@GLibActor
final class WorldDirectories {
  let root: URL
  let home: URL
  let runtime: URL
  let data: URL
  let configuration: URL
  let systemConfiguration: URL
  let activation: URL
  let logs: URL
  let busAddress: String
  /// No bus listens there unless a test starts a system bus.
  let systemBusAddress: String
  private var outputs = 0

  init() throws {
    // The path of a socket may have 107 bytes, so this one is short.
    let template = FileManager.default.temporaryDirectory.path + "/chappie-world.XXXXXX"
    var path = Array(template.utf8CString)
    guard mkdtemp(&path) != nil else { throw CocoaError(.fileWriteUnknown) }
    root = URL(filePath: String(decoding: path.dropLast().map(UInt8.init), as: UTF8.self))
    home = root.appending(path: "home")
    runtime = root.appending(path: "run")
    data = home.appending(path: ".local/share")
    configuration = home.appending(path: ".config")
    systemConfiguration = root.appending(path: "etc-xdg")
    activation = data.appending(path: "dbus-1/services")
    logs = root.appending(path: "logs")
    busAddress = "unix:path=\(runtime.path)/bus"
    systemBusAddress = "unix:path=\(runtime.path)/system-bus"
    for directory in [home, runtime, activation, configuration, systemConfiguration, logs] {
      try FileManager.default.createDirectory(
        at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }
  }

  /// Only these variables reach a world: no display, no proxy, no bus of the person who runs the tests.
  var environment: [String: String] {
    var environment = [
      Self.mark: root.path, "HOME": home.path, "XDG_RUNTIME_DIR": runtime.path, "XDG_DATA_HOME": data.path,
      "XDG_CONFIG_HOME": configuration.path, "XDG_CONFIG_DIRS": systemConfiguration.path,
      "XDG_CACHE_HOME": home.appending(path: ".cache").path, "XDG_STATE_HOME": home.appending(path: ".state").path,
      "DBUS_SESSION_BUS_ADDRESS": busAddress, "DBUS_SYSTEM_BUS_ADDRESS": systemBusAddress,
      "GSETTINGS_BACKEND": "memory", "LANG": "C.UTF-8",
    ]
    for name in ["PATH", "LD_LIBRARY_PATH"] { environment[name] = ProcessInfo.processInfo.environment[name] }
    return environment
  }

  /// A new file for a process's output.
  func newLog(_ name: String) throws -> URL {
    outputs += 1
    let log = logs.appending(path: String(format: "%03d-", outputs) + name + ".log")
    try Data().write(to: log)
    return log
  }

  /// The directory for the service's data of this device.
  var state: URL { home.appending(path: ".state/chappie") }
  var deviceKey: URL { state.appending(path: "device-key") }

  /// Writes the user's `chappie/chappie.conf`, or another file of this folder.
  func configure(_ text: String, in file: String = "chappie.conf") throws {
    let file = configuration.appending(path: "chappie/\(file)")
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try text.write(to: file, atomically: true, encoding: .utf8)
  }

  /// Every file, by its path below the root.
  func files() throws -> [String: Data] {
    var files: [String: Data] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: root.path) {
      let url = root.appending(path: name)
      // Files may disappear meanwhile. Sockets and folders cannot be read.
      guard let type = try? FileManager.default.attributesOfItem(atPath: url.path)[.type] as? FileAttributeType,
        type == .typeRegular, let data = try? Data(contentsOf: url)
      else { continue }
      files[name] = data
    }
    return files
  }

  /// Whether a service that the bus started has logged `text`.
  func hasLogged(_ text: String) -> Bool {
    !lines(with: text, in: ["activated"]).isEmpty
  }

  /// Lines in which a library reports misuse by our programs. Each is a mistake in every test.
  var complaints: [String] {
    ["-CRITICAL **:", "-WARNING **:"].flatMap { lines(with: $0, in: ["chappie", "activated", "-sandbox."]) }
      .filter { !$0.contains(" chappie-") }
  }

  /// The lines with a mark in logs of such names. It compares bytes: a log can be long, and a comparison of text takes
  /// long.
  private func lines(with mark: String, in logs: [String]) -> [String] {
    let newline = UInt8(ascii: "\n")
    var lines: [String] = []
    let names = (try? FileManager.default.contentsOfDirectory(atPath: self.logs.path)) ?? []
    for name in names where logs.contains(where: { name.contains($0) }) {
      var rest = ((try? Data(contentsOf: self.logs.appending(path: name))) ?? Data())[...]
      while let found = rest.place(of: Data(mark.utf8)) {
        let start = rest[..<found.lowerBound].lastIndex(of: newline).map { $0 + 1 } ?? rest.startIndex
        let end = rest[found.upperBound...].firstIndex(of: newline) ?? rest.endIndex
        lines.append(String(decoding: rest[start..<end], as: UTF8.self))
        rest = rest[end...]
      }
    }
    return lines
  }

  func printLogs() {
    var text = "The world \(root.path):\n"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: logs.path)) ?? []
    for name in names.sorted() where !name.contains("bus-capture") {
      let lines = String(decoding: (try? Data(contentsOf: logs.appending(path: name))) ?? Data(), as: UTF8.self)
      text += "--- \(name)\n" + lines.split(separator: "\n").suffix(60).map { "    \($0.prefix(400))\n" }.joined()
    }
    FileHandle.standardError.write(Data(text.utf8))
  }

  func remove() {
    try? FileManager.default.removeItem(at: root)
  }

  // MARK: Remaining processes

  private nonisolated static let mark = "CHAPPIE_WORLD"

  /// Waits for the end of all processes of this world. A process that has to be killed is an issue.
  func sweep() async {
    let ended = await holds { processes().isEmpty }
    guard !ended else { return }
    for process in processes() {
      Issue.record("Process \(process.id) stayed behind and was killed: \(process.command)")
      kill(process.id, SIGKILL)
    }
  }

  /// The processes of this user with this world in their environment.
  private func processes() -> [(id: pid_t, command: String)] {
    let mark = Data("\(Self.mark)=\(root.path)\0".utf8)
    let ids = ((try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []).compactMap { pid_t($0) }
    return ids.compactMap { id in
      // A process that has ended and waits for its parent has an empty environment.
      guard let environment = FileManager.default.contents(atPath: "/proc/\(id)/environ"),
        environment.contains(mark)
      else { return nil }
      let command = FileManager.default.contents(atPath: "/proc/\(id)/cmdline") ?? Data()
      return (id, String(decoding: command, as: UTF8.self).replacing("\0", with: " "))
    }
  }
}
