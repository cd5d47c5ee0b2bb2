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

  /// Whether the service still waits for a question, or answers one.
  var isOpen: Bool { socket.isConnected }

  func ask(_ question: Question) {
    write(question.line)
  }

  /// Asks the service to end the turn. The last event then says so.
  func cancel() {
    write(["cancel": true])
  }

  /// Answers an approval, or a question of a tool server.
  func answer(_ line: ChappieJSONValue) {
    write(line)
  }

  private func write(_ line: ChappieJSONValue) {
    socket.send {
      $0 += line.encoded
      $0.append(UInt8(ascii: "\n"))
    }
  }

  /// Waits for the next event of the answer.
  ///
  /// - Throws: ``CommandFailure`` if the service ends, or writes no events; `CancellationError`.
  func next() async throws -> AnswerEvent {
    while true {
      let line = try await nextLine()
      // Lines that come without a pause must not keep Ctrl-C waiting.
      await Task.yield()
      guard let event = try? ChappieJSONValue(parsing: line.span, valueLimit: Self.valueLimit),
        event.objectValue != nil
      else { throw Self.unknownLine }
      if let event = AnswerEvent(event) {
        // A service that loses the bus cancels its turns.
        if case .failed(let failure, _) = event, failure.status == .interrupted { try await service.checkBus() }
        return event
      }
    }
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

/// An event of an answer.
enum AnswerEvent {
  case delta(String)
  /// What the answer waits for now, without control characters.
  case waiting(String)
  /// The user is asked something.
  case question(TurnQuestion)
  /// A call has ended, which may have waited for an answer.
  case ended(call: String)
  case completed(String, details: ChappieJSONValue)
  case failed(CommandFailure, details: ChappieJSONValue)

  /// Nil for an event of another kind.
  init?(_ event: ChappieJSONValue) {
    let text = event["text"]?.stringValue ?? ""
    let name = event["name"]?.stringValue?.terminalSafeLine ?? ""
    switch event["event"]?.stringValue {
    case "text-delta": self = .delta(text)
    case "tool-call-requested": self = .waiting(tr("Calling \(name)"))
    case "approval-requested", "input-requested":
      guard let question = TurnQuestion(event) else { return nil }
      self = .question(question)
    case "tool-progressed":
      guard let message = event["message"]?.stringValue?.terminalSafeLine, !message.isEmpty else { return nil }
      self = .waiting(message)
    case "tool-call-completed": self = .ended(call: event["call"]?.stringValue ?? "")
    case "search": self = .waiting(Self.search(event))
    case "completed": self = .completed(text, details: event)
    case "failed":
      let name = event["error"]?.stringValue ?? ""
      let message = event["message"]?.stringValue ?? ""
      self = .failed(CommandFailure(busName: name, message: message, details: event), details: event)
    default: return nil
    }
  }
}

extension AnswerEvent {
  private static func search(_ event: ChappieJSONValue) -> String {
    let detail = event["detail"]?.stringValue?.terminalSafeLine ?? ""
    return switch event["status"]?.stringValue {
    case "reading": tr("Reading \(detail)")
    case "searching": detail.isEmpty ? tr("Searching the web") : tr("Searching the web: \(detail)")
    default: tr("Thinking")
    }
  }
}

/// A turn that is opened before there is a question, so that the service prepares it while the user types.
@GLibActor
final class PreparedTurn {
  private var opening: Task<OpenedTurn, any Error>?

  /// Opens a turn, in place of one that was not used.
  func open(_ open: @escaping @GLibActor () async throws -> OpenedTurn) {
    opening?.cancel()
    opening = Task.onGLib { try await open() }
  }

  /// The turn, once; nil if it could not be opened, or if the service has ended it: it waits ten minutes for a question.
  func take() async -> OpenedTurn? {
    guard let opening else { return nil }
    self.opening = nil
    let turn = await withTaskCancellationHandler {
      try? await opening.value
    } onCancel: {
      opening.cancel()
    }
    return turn?.isOpen == true ? turn : nil
  }
}
