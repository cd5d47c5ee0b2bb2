// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge

/// Writes a turn's events as JSON lines to a socket of the caller.
///
/// Text that the caller has not read stays in the answer, and the turn pauses.
@GLibActor
final class LineOutlet: TurnOutlet {
  /// An event in the order of the stream.
  private final class Entry {
    /// The number of bytes of the answer that come before it.
    let offset: Int
    let isLast: Bool
    /// Nil until it is encoded.
    var line: [UInt8]?

    init(after offset: Int, isLast: Bool) {
      self.offset = offset
      self.isLast = isLast
    }
  }

  /// The unread bytes at which nothing more is written.
  private static let highWater = 128 << 10
  /// The most bytes of text in one line.
  private static let pieceSize = 32 << 10
  /// Within this time after a write, deltas that arrive in one iteration of the main loop share a line.
  private static let interval = Duration.microseconds(200)

  private let socket: StreamSocket
  private let answer: AnswerText
  private var sentBytes = 0
  private var entries: ArraySlice<Entry> = []
  private var isFlushDue = false
  private var lastWrite: ContinuousClock.Instant?
  /// The pause of the turn while the caller does not read.
  private var pause: (end: Wait, task: Task<Void, Never>)?
  private var hasEnded = false
  private let delivered = Wait()

  init(_ socket: StreamSocket, _ answer: AnswerText) {
    self.socket = socket
    self.answer = answer
    socket.onDrained = { [weak self] in self?.write() }
  }

  var flow: FlowControl {
    guard socket.isOpen, socket.queuedBytes >= Self.highWater else { return .proceed }
    if let pause { return .pause(until: pause.task) }
    let end = Wait()
    let task = Task.onGLib { await end.value() }
    pause = (end, task)
    return .pause(until: task)
  }

  func grew() {
    guard !isFlushDue else { return }
    if lastWrite.map({ .now - $0 >= Self.interval }) ?? true { return write() }
    isFlushDue = true
    Task.onGLib {
      isFlushDue = false
      write()
    }
  }

  func send(_ event: TurnEvent) {
    let entry = Entry(after: answer.byteCount, isLast: event.kind == .end)
    entries.append(entry)
    Task.onGLib {
      // Encoding a long answer takes long, and the actor has other callers to answer.
      entry.line = event.isLong ? await offActor { event.line } : event.line
      write()
    }
  }

  func flush() async {
    await delivered.value()
  }

  // MARK: Writing

  /// Writes what the caller has room for.
  private func write() {
    while socket.queuedBytes < Self.highWater, !hasEnded {
      let end = entries.first?.offset ?? answer.byteCount
      if sentBytes < end {
        writeText(upTo: end)
      } else {
        guard let entry = entries.first, let line = entry.line else { break }
        entries.removeFirst()
        socket.send { $0 += line }
        if entry.isLast { hasEnded = true }
      }
    }
    lastWrite = .now
    guard socket.queuedBytes < Self.highWater else { return }
    pause?.end.finish()
    pause = nil
    if hasEnded {
      entries = []
      socket.finish()
      if socket.queuedBytes == 0 { delivered.finish() }
    }
  }

  private static let textStart = Array(#"{"event":"text-delta","text":"#.utf8)
  private static let textEnd = Array("}\n".utf8)

  private func writeText(upTo end: Int) {
    let piece = answer.piece(from: sentBytes, to: min(end, sentBytes + Self.pieceSize))
    sentBytes += piece.count
    socket.send {
      $0 += Self.textStart
      ChappieJSONValue.encode(piece, into: &$0)
      $0 += Self.textEnd
    }
  }
}

extension TurnEvent {
  /// Whether the encoding takes long.
  var isLong: Bool { max(texts.map(\.value.utf8.count).max() ?? 0, details?.variant.byteCount ?? 0) > 64 << 10 }

  /// The JSON line of the event.
  var line: [UInt8] {
    var fields = details?.json ?? [:]
    fields["event"] = .string(event)
    for (key, text) in texts { fields[key] = .string(text) }
    if let refusal {
      fields["error"] = .string(refusal.name)
      fields["message"] = .string(refusal.message)
    }
    return ChappieJSONValue.object(fields).encoded + [UInt8(ascii: "\n")]
  }
}

extension VariantDictionary {
  /// The dictionary as JSON, with the same keys.
  var json: [String: ChappieJSONValue] {
    keys.reduce(into: [:]) { fields, key in fields[key] = self[key].map(ChappieJSONValue.init) }
  }
}

extension ChappieJSONValue {
  /// A value of the bus as JSON, with the same keys.
  init(_ variant: Variant) {
    if let dictionary = try? VariantDictionary(variant: variant) {
      self = .object(dictionary.json)
    } else if let text = try? String(variant: variant) {
      self = .string(text)
    } else if let flag = try? Bool(variant: variant) {
      self = .bool(flag)
    } else if let number = try? Double(variant: variant) {
      self = .number(number)
    } else if let number = variant.wholeNumber {
      self = .integer(number)
    } else {
      self = .array(variant.children.map { ChappieJSONValue($0.unboxed) })
    }
  }
}

extension Variant {
  fileprivate var wholeNumber: Int64? {
    if let number = try? Int64(variant: self) { return number }
    if let number = try? UInt64(variant: self) { return Int64(clamping: number) }
    if let number = try? Int32(variant: self) { return Int64(number) }
    return (try? UInt32(variant: self)).map { Int64($0) }
  }
}
