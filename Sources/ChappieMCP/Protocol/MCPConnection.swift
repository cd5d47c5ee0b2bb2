// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge

/// Exchanges JSON-RPC messages with a peer, a server or the program that runs it: one on a line, in either direction.
@GLibActor
final class MCPConnection {
  /// The most bytes of a line from the server.
  nonisolated static let lineLimit = 16 << 20
  /// The most JSON values in a line.
  nonisolated static let valueLimit = 400_000
  /// The most lines that are no message or answer nothing. Some servers write notes to their standard output.
  nonisolated static let noiseLimit = 100
  /// The number of lines after which other work has its turn.
  private nonisolated static let batch = 64
  /// The most bytes that wait for a peer that does not read, before the next message to it.
  private nonisolated static let queueLimit = 2 << 20
  /// The most requests of a foreign peer at once.
  nonisolated static let requestLimit = 64

  /// The progress of a request.
  typealias Progress = (done: Double, total: Double?, message: String)

  /// A request that the server has not answered.
  @GLibActor
  private final class Pending {
    let answer = Promise<Result<ChappieJSONValue, ChappieMCPError>>()
    let progress: (@GLibActor (Progress) -> Void)?
    /// Extends the deadline of the request. Called when there is progress.
    var extend: @GLibActor () -> Void = {}
    /// When progress was passed on.
    private var lastProgress: ContinuousClock.Instant?

    init(_ progress: (@GLibActor (Progress) -> Void)?) {
      self.progress = progress
    }

    /// Passes on progress, at most ten times in a second.
    func note(_ step: Progress) {
      extend()
      let now = ContinuousClock.now
      guard lastProgress.map({ now - $0 >= .milliseconds(100) }) ?? true else { return }
      lastProgress = now
      progress?(step)
    }
  }

  private let output: StreamSocket
  private let requestLimit: Int
  private let reader: LineReader
  private var pending: [Int64: Pending] = [:]
  /// The requests of the peer that are not answered yet.
  private var answering: [ChappieJSONValue: Task<Void, Never>] = [:]
  private var lastID: Int64 = 0
  private var noise = 0
  private var reading: Task<Void, Never>?
  /// The reason why nothing comes any more.
  private(set) var failure: ChappieMCPError?
  /// Receives notifications of the peer.
  var onNotification: @GLibActor (_ method: String, ChappieJSONValue) -> Void = { _, _ in }
  /// Answers requests of the peer; nil for those that it does not know.
  var onRequest: @GLibActor (_ method: String, ChappieJSONValue) async throws -> ChappieJSONValue? = { _, _ in nil }
  /// Called once, when the connection has ended.
  var onEnd: @GLibActor () -> Void = {}

  /// - Parameters:
  ///   - output: where messages to the peer go.
  ///   - input: where its messages come from.
  ///   - requestLimit: the most requests of the peer at once.
  init(to output: StreamSocket, from input: StreamSocket, requestLimit: Int = requestLimit) {
    self.output = output
    self.requestLimit = requestLimit
    reader = LineReader(input, limit: Self.lineLimit, patience: .seconds(60))
  }

  func start() {
    reading = Task.onGLib { [weak self, reader] in
      do {
        var count = 0
        while let line = try await reader.next() {
          try await self?.take(line)
          count += 1
          if count.isMultiple(of: Self.batch) { await Task.yield() }
        }
        self?.end(.ended("it has closed its output"))
      } catch let error as ChappieMCPError {
        self?.end(error)
      } catch let failure as LineReader.Failure {
        self?.end(.ended(failure.reason))
      } catch {
        self?.end(.ended("it was stopped"))
      }
    }
  }

  /// Ends the connection and fails all requests.
  func end(_ reason: ChappieMCPError) {
    guard failure == nil else { return }
    failure = reason
    reading?.cancel()
    for request in pending.values { request.answer.fulfil(.failure(reason)) }
    for task in answering.values { task.cancel() }
    (pending, answering) = ([:], [:])
    onEnd()
  }

  // MARK: Requests

  /// Whether requests wait for their answers.
  var isWaiting: Bool { !pending.isEmpty }

  /// Makes a request and waits for its answer. Cancelling the task cancels the request.
  ///
  /// - Parameters:
  ///   - deadline: the longest wait without progress.
  ///   - cap: the longest wait with progress.
  ///   - progress: receives the progress that the server tells.
  /// - Throws: ``ChappieMCPError``, `CancellationError`.
  func request(
    _ method: String, _ params: [String: ChappieJSONValue], deadline: Duration, cap: Duration = .seconds(3600),
    progress: (@GLibActor (Progress) -> Void)? = nil
  ) async throws -> ChappieJSONValue {
    if let failure { throw failure }
    lastID += 1
    let id = lastID
    let request = Pending(progress)
    pending[id] = request
    defer { pending[id] = nil }
    var params = params
    if progress != nil {
      var meta = params["_meta"]?.objectValue ?? [:]
      meta["progressToken"] = .integer(id)
      params["_meta"] = .object(meta)
    }
    write(["jsonrpc": "2.0", "id": .integer(id), "method": .string(method), "params": .object(params)])
    let last = ContinuousClock.now + cap
    let expire: @GLibActor () -> Void = { [weak self, weak request] in
      // The user may be thinking about a question of the server.
      if self?.answering.isEmpty == false, .now < last { return request?.extend() ?? () }
      request?.answer.fulfil(.failure(.noAnswer(method, deadline)))
    }
    var timer = Timer(after: min(deadline, cap), expire)
    request.extend = {
      timer.cancel()
      timer = Timer(after: min(deadline, last - .now), expire)
    }
    defer {
      timer.cancel()
      request.extend = {}
    }
    do {
      return try await request.answer.value().get()
    } catch ChappieMCPError.noAnswer(let method, let time) {
      cancel(id, method, "it took too long")
      throw ChappieMCPError.noAnswer(method, time)
    } catch let error as CancellationError {
      cancel(id, method, "the user has cancelled it")
      throw error
    }
  }

  private func cancel(_ id: Int64, _ method: String, _ reason: String) {
    // It is the one request that must not be cancelled.
    guard method != "initialize" else { return }
    notify("notifications/cancelled", ["requestId": .integer(id), "reason": .string(reason)])
  }

  func notify(_ method: String, _ params: [String: ChappieJSONValue] = [:]) {
    write(["jsonrpc": "2.0", "method": .string(method), "params": .object(params)])
  }

  private func write(_ message: ChappieJSONValue) {
    guard output.queuedBytes < Self.queueLimit else { return end(.ended("it does not read its input")) }
    output.send { $0 += message.encoded + [UInt8(ascii: "\n")] }
  }

  // MARK: Messages

  private func take(_ line: [UInt8]) async throws {
    let read: @Sendable () -> Result<ChappieJSONValue, ChappieMCPError> = { Self.message(line) }
    let message = try (line.count > 64 << 10 ? await offActor(read) : read()).get()
    guard message["jsonrpc"] == "2.0" else { return try noteNoise() }
    if let method = message["method"]?.stringValue {
      let params = message["params"] ?? .null
      guard let id = message["id"], !id.isNull else { return notified(method, params) }
      return answer(id, method, params)
    }
    guard let id = message["id"]?.integerValue, id >= 1, id <= lastID else { return try noteNoise() }
    // It may have been cancelled meanwhile.
    guard let request = pending[id] else { return }
    pending[id] = nil
    request.answer.fulfil(
      message["error"].map { .failure(ChappieMCPError($0)) } ?? .success(message["result"] ?? .null))
  }

  /// The value of a line; null for a note that is no message.
  private nonisolated static func message(_ line: [UInt8]) -> Result<ChappieJSONValue, ChappieMCPError> {
    do {
      return .success(try ChappieJSONValue(parsing: line.span, valueLimit: valueLimit))
    } catch JSONProblem.malformed {
      // A server may pass on bytes of a file as they are.
      let text = String(decoding: line, as: UTF8.self)
      if let message = try? ChappieJSONValue(parsing: text.utf8.span, valueLimit: valueLimit) {
        return .success(message)
      }
      let isMessage = text.hasPrefix("{") && text.contains("\"jsonrpc\"")
      return isMessage ? .failure(.ended("it wrote a message that is no JSON")) : .success(.null)
    } catch {
      return .failure(.ended("it wrote a message of too many or too deeply nested values"))
    }
  }

  private func noteNoise() throws {
    noise += 1
    guard noise <= Self.noiseLimit else { throw ChappieMCPError.ended("its output holds other text than messages") }
  }

  private func notified(_ method: String, _ params: ChappieJSONValue) {
    switch method {
    case "notifications/progress": progressed(params)
    case "notifications/cancelled": answering[params["requestId"] ?? .null]?.cancel()
    default: onNotification(method, params)
    }
  }

  private func progressed(_ params: ChappieJSONValue) {
    guard let id = params["progressToken"]?.integerValue, let request = pending[id],
      let done = params["progress"]?.numberValue
    else { return }
    request.note((done, params["total"]?.numberValue, ForeignText.line(params["message"]?.stringValue ?? "")))
  }

  /// Answers a request of the peer. The answers may overtake one another.
  private func answer(_ id: ChappieJSONValue, _ method: String, _ params: ChappieJSONValue) {
    guard answering.count < requestLimit, answering[id] == nil else {
      return end(.ended("it asks more than it waits for"))
    }
    answering[id] = Task.onGLib {
      defer { answering[id] = nil }
      do {
        if let result = method == "ping" ? [:] : try await onRequest(method, params) {
          return write(["jsonrpc": "2.0", "id": id, "result": result])
        }
        write(id, error: -32601, "This client does not answer that.")
      } catch {
        let (code, message) = (error as? ChappieMCPError ?? .unusable("it was cancelled")).relayed
        write(id, error: code, message)
      }
    }
  }

  private func write(_ id: ChappieJSONValue, error code: Int64, _ message: String) {
    write(["jsonrpc": "2.0", "id": id, "error": ["code": .integer(code), "message": .string(message)]])
  }
}

extension LineReader.Failure {
  fileprivate var reason: String {
    switch self {
    case .tooLong(let limit): "it wrote a message of more than \(limit >> 20) MiB"
    case .unfinished(let time): "it did not complete a message within \(time.components.seconds) seconds"
    case .cutOff: "it ended within a message"
    }
  }
}
