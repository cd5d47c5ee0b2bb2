// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import Platform

/// A turn on a socket of its own: no monitor of the bus sees its question and its answer.
@GLibActor
final class OpenedTurn {
  /// The most bytes of a line. The longest that the service sends has an answer of 4 MiB, with each byte as an escape.
  private static let lineLimit = 32 << 20
  /// The most values in a line, because each takes more memory than its text.
  private static let valueLimit = 10_000

  private let service: ServiceConnection
  private let socket: StreamSocket
  private let reader: LineReader

  /// - Parameter descriptor: the socket, as ``ServiceConnection/openTurn(_:_:_:)`` returns it.
  /// - Throws: ``GLibError`` when the kernel has no room to watch the socket.
  init(_ descriptor: Descriptor, of service: ServiceConnection) throws {
    self.service = service
    socket = try StreamSocket(descriptor)
    reader = LineReader(socket, limit: Self.lineLimit)
  }

  /// The line that asks the service to end the turn. The last event then says so.
  static let cancelling: ChappieJSONValue = ["cancel": true]

  /// Whether the service still waits for a question, or answers one.
  var isOpen: Bool { socket.isConnected }

  /// Sends a line: a question, an answer to an approval or to a question of a tool server, or ``cancelling``.
  func send(_ line: ChappieJSONValue) {
    socket.send {
      $0 += line.encoded
      $0.append(UInt8(ascii: "\n"))
    }
  }

  /// Waits for the next event of the answer, an object.
  ///
  /// - Throws: ``CommandFailure`` if the service ends, or writes no events; `CancellationError`.
  func next() async throws -> ChappieJSONValue {
    let line = try await nextLine()
    // Lines that come without a pause must not keep Ctrl-C waiting.
    await Task.yield()
    guard let event = try? ChappieJSONValue(parsing: line.span, valueLimit: Self.valueLimit),
      event.objectValue != nil
    else { throw Self.unknownLine }
    // A service that loses the bus cancels its turns.
    if event["event"] == "failed", CommandFailure(event).status == .interrupted { try await service.checkBus() }
    return event
  }

  private func nextLine() async throws -> [UInt8] {
    do {
      if let line = try await reader.next() { return line }
    } catch LineReader.Failure.cutOff {
    } catch is LineReader.Failure {
      throw Self.unknownLine
    }
    try await service.checkBus()
    throw CommandFailure.serviceEnded
  }

  private static let unknownLine = CommandFailure(
    .failed, tr("The service answered with something that is no answer: see journalctl --user -u chappie."))
}

/// A question to the model.
struct Question {
  let text: String
  /// Addresses, and absolute paths.
  var images: [String] = []
  /// Absolute paths, and addresses that hold a document.
  var files: [String] = []

  /// The line that asks it.
  var line: ChappieJSONValue {
    [
      "text": .string(text), "images": .array(images.map { .string($0) }), "files": .array(files.map { .string($0) }),
    ]
  }
}
