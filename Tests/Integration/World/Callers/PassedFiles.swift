// SPDX-License-Identifier: Apache-2.0
import Platform

extension Caller {
  /// Calls a method of `org.chappie.Client` with file descriptors.
  @discardableResult
  func call(
    _ method: String, _ arguments: any VariantConvertible..., passing files: [Descriptor],
    at path: ObjectPath = .chappie
  ) async throws -> Variant {
    try await connection.callForDescriptors(
      "org.chappie", path, "org.chappie.Client", method, .tuple(arguments.map(\.variant)), passing: files,
      timeout: patience
    ).reply
  }

  /// The answer to a question with files, each of which is at a place among `files`.
  func send(
    _ text: String, files places: [Int32]? = nil, passing files: [Descriptor], at path: ObjectPath = .chappie
  ) async throws -> String {
    let handles = (places ?? Array(0..<Int32(files.count))).map { DescriptorHandle(index: $0) }
    let options: VariantDictionary = ["files": handles]
    return try await call("Send", text, options, passing: files, at: path).member(0, "answer")
  }
}

/// A file system whose files `chappied` can look at and not read: each call for one waits until this ends.
@GLibActor
final class HangingDisk {
  nonisolated static let isPossible =
    FileManager.default.isReadableFile(atPath: "/dev/fuse")
    && FileManager.default.fileExists(atPath: "/usr/bin/fusermount3")

  private let directory: URL
  private let process: ChildProcess

  init(_ world: World) async throws {
    directory = world.directories.home.appending(path: "disk")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    process = try ChildProcess(
      "disk", "/usr/bin/python3", [SourceTree.path(of: "Tests/hanging-disk.py"), directory.path, "chappied"],
      in: world.directories)
    world.adopt { [self] in try? await end() }
    try await eventually("the disk") { process.output.contains("mounted") }
  }

  func file() throws -> Descriptor {
    guard let file = Descriptor(owning: open(directory.path + "/slow.pdf", O_RDONLY | O_CLOEXEC)) else {
      throw UnmetCondition("a file on the disk")
    }
    return file
  }

  func end() async throws {
    guard process.end == nil else { return }
    process.send(SIGKILL)
    _ = try await process.waitForEnd()
    _ = Programs.succeeds("fusermount3", ["-u", "-z", directory.path])
  }
}
