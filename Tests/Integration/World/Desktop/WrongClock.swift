// SPDX-License-Identifier: Apache-2.0

/// The time of day as the service sees it, from its next start on. The time since the machine's start is the real one.
@GLibActor
struct WrongClock {
  /// The library libfaketime; nil where it is not installed.
  nonisolated private static let library: String? = {
    let folders = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib")) ?? []
    let candidates = ["/usr/lib", "/usr/lib64"] + folders.map { "/usr/lib/\($0)" }
    return candidates.map { $0 + "/faketime/libfaketime.so.1" }.first(where: FileManager.default.fileExists)
  }()

  nonisolated static let isPossible = library != nil

  private let file: URL

  /// - Parameter ahead: the seconds that the clock is ahead of the real time.
  init(ahead: Int, in world: World) throws {
    file = world.directories.root.appending(path: "wall-clock")
    try set(ahead: ahead)
    world.service.environment.merge([
      "LD_PRELOAD": Self.library ?? "", "FAKETIME_TIMESTAMP_FILE": file.path, "FAKETIME_NO_CACHE": "1",
      "DONT_FAKE_MONOTONIC": "1",
    ]) { $1 }
  }

  /// Sets the clock of the running service.
  func set(ahead: Int) throws {
    try Data("\(ahead < 0 ? "" : "+")\(ahead)\n".utf8).write(to: file, options: .atomic)
  }
}
