// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import Platform

/// Reads the images and files of one question. This service opens the paths, and sees files that a sandboxed app does
/// not.
@GLibActor
final class AttachmentReader {
  private(set) var images: [ChappieImage] = []
  private(set) var files: [ChappieInputFile] = []
  private let place: TurnPlace
  private let readings: FileReadings
  /// The bytes of all images and files as they are sent.
  private var sentBytes = 0

  init(_ place: TurnPlace, _ readings: FileReadings) {
    self.place = place
    self.readings = readings
  }

  /// The bytes of the images and files.
  var byteCount: Int { (images.map(\.url) + files.map(\.url)).reduce(0) { $0 + $1.utf8.count } }

  /// A message with the images and files.
  func message(
    _ role: ChappieInputMessage.Role, _ text: String, _ options: ChappieMessageOptions
  ) -> ChappieInputMessage {
    ChappieInputMessage(role: role, text: text, images: images, files: files, options: options)
  }

  // MARK: Names

  /// Reads what a caller names.
  func read(_ attachments: Attachments) async throws {
    try Limits.files.check(files.count + attachments.files.count)
    for name in attachments.images {
      _ = try await admit(name, ChappieImage.fileLimit, decodes: false)
      images.append(
        name.hasPrefix("/") ? try await onDisk { try ChappieImage(reading: name) } : try ChappieImage(url: name))
    }
    for name in attachments.files {
      let size = try await admit(name, ChappieInputFile.totalLimit, decodes: true)
      files.append(
        name.hasPrefix("/")
          ? try await onDisk { try ChappieInputFile(reading: name, size) }
          : try await decoded(byteCount: name.utf8.count) { try ChappieInputFile(address: name) })
    }
  }

  /// Counts what a name stands for, before it is read.
  ///
  /// - Returns: the size that was counted, in bytes of content.
  private func admit(_ name: String, _ limit: Int, decodes: Bool) async throws -> Int {
    guard name.hasPrefix("/") else {
      let size = name.utf8.count / 4 * 3
      try count(sent: name.utf8.count, held: decodes ? size : 0)
      return size
    }
    guard place.app == nil else {
      throw BusError(
        .accessDenied,
        "An app in a sandbox cannot name files: pass a descriptor, or send the content as a data: address.")
    }
    guard name.utf8.count <= 4096 else {
      throw BusError(.invalidArgument, "A path has \(name.utf8.count) bytes, and 4096 are possible.")
    }
    let size = try await onDisk { min(Files.size(name), limit) }
    try count(sent: size / 3 * 4, held: size)
    return size
  }

  /// Reads a file that was named. Where too many are being read, it waits.
  private func onDisk<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    let end = ContinuousClock.now + .seconds(60)
    var result: Result<Value, any Error>?
    while result == nil, .now < end {
      do {
        result = try await readings.read(for: place.application, until: end) { Result { try work() } }
      } catch let error as BusError where error.name == ErrorName.limitExceeded.busName {
        try await sleep(for: .milliseconds(50))
      }
    }
    guard let result else { throw BusError(.invalidArgument, "The disk with a file of the question does not answer.") }
    return try result.get()
  }

  /// - Parameter size: the bytes of content that are read. The text of them takes twice as many.
  private func count(sent: Int, held size: Int) throws {
    sentBytes += sent
    try Limits.attachedBytes.check(sentBytes)
    if size > 0 { try place.memory.add(4 * size, to: .engine) }
  }

  // MARK: Descriptors

  /// Reads files that a caller has opened.
  ///
  /// - Parameters:
  ///   - handles: the places of the files among `passed`.
  ///   - passed: the files that came with the call.
  func read(_ handles: [DescriptorHandle], of passed: [PassedFile]) async throws {
    let end = ContinuousClock.now + FileReadings.timeLimit
    for (position, handle) in handles.enumerated() {
      guard passed.indices.contains(Int(handle.index)) else {
        throw BusError(
          .invalidArgument,
          "File \(position + 1) of 'files' is descriptor \(handle.index), and the message has \(passed.count).")
      }
      files.append(try await read(passed[Int(handle.index)], position: position + 1, until: end))
    }
  }

  private func read(
    _ file: PassedFile, position: Int, until end: ContinuousClock.Instant
  ) async throws -> ChappieInputFile {
    func refusal(_ reason: String) -> BusError {
      BusError(.invalidArgument, "File \(position) of 'files' cannot be used: \(reason).")
    }
    func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
      let result = try await readings.read(for: place.application, until: end) { Result { try work() } }
      guard let result else { throw refusal("it was not read in time") }
      do {
        return try result.get()
      } catch .tooLarge as FileError {
        throw refusal("it changed while it was read, or is no ordinary file")
      } catch let error as FileError {
        throw refusal("\(error)")
      }
    }
    let size = try await run { min(try file.size(), ChappieInputFile.totalLimit) }
    try count(sent: size / 3 * 4, held: size)
    return try await run {
      let content = try file.content(limit: size)
      let name = try file.name() ?? "file-\(position).\(ChappieInputFile.Kind(content, "") == .pdf ? "pdf" : "txt")"
      return try ChappieInputFile(data: content, name: name)
    }
  }
}

/// The reading of files that callers have opened or named. Each may be on a file system that does not answer and then holds a
/// thread, so one file of an application is read at a time.
@GLibActor
final class FileReadings {
  /// The longest time for the files of one call. Most callers wait 25 seconds for the reply.
  nonisolated static let timeLimit = Duration.seconds(20)

  private let queues = Mutexes<Application>()
  private let budget = Budget(Limits.fileReadings)

  /// Runs `work` on a thread of its own, after earlier work for `application`.
  ///
  /// - Returns: the result; nil after `end`. Then the next work waits until the thread has ended.
  /// - Throws: `BusError` with `LimitExceeded`; `CancellationError`.
  func read<Value: Sendable>(
    for application: Application, until end: ContinuousClock.Instant, _ work: @escaping @Sendable () -> Value
  ) async throws -> Value? {
    do {
      return try await withDeadline(end - .now) { [self] in
        try await queues.withLock(application) {
          let lease = try budget.lease(for: application, of: "files being read")
          defer { lease.end() }
          return await onNewThread(work)
        }
      }
    } catch let error as GLibError where error.isTimeout {
      return nil
    }
  }
}
