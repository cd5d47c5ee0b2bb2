import Glibc
import Platform

/// One connection of ``LoopbackListener``: one request and its answer.
@GLibActor
final class LoopbackConnection {
  /// The most bytes of a request's head.
  static let headLimit = 16 << 10

  private enum State {
    case reading(Timer)
    case answering
    case closed
  }

  private let socket: StreamSocket
  private let patience: Duration
  private var state = State.closed
  private var task: Task<Void, Never>?

  /// Takes over a connected socket.
  ///
  /// - Parameter patience: the longest time for the head to come, and then for the answer to be taken.
  /// - Throws: ``GLibError`` when the kernel has no room to watch it.
  init(_ descriptor: Descriptor, _ patience: Duration) throws {
    self.patience = patience
    socket = try StreamSocket(descriptor)
  }

  /// Whether the request has not come completely.
  var isReading: Bool {
    if case .reading = state { true } else { false }
  }

  /// Serves the one request, then calls `ended`, unless ``close()`` was called before.
  func serve(_ handler: @escaping LoopbackListener.Handler, ended: @escaping @GLibActor () -> Void) {
    state = .reading(Timer(after: patience) { [weak self] in self?.socket.close() })
    task = Task.onGLib {
      await answer(handler)
      guard !isClosed else { return }
      close()
      ended()
    }
  }

  /// Closes the connection at once.
  func close() {
    if case .reading(let timer) = state { timer.cancel() }
    state = .closed
    task?.cancel()
    task = nil
    socket.close()
  }

  private var isClosed: Bool {
    if case .closed = state { true } else { false }
  }

  private func answer(_ handler: LoopbackListener.Handler) async {
    guard let head = await readHead(), case .reading(let timer) = state else { return }
    timer.cancel()
    state = .answering
    switch head {
    case .request(let request):
      let answer = await handler(request)
      await send(answer, hasBody: request.method != "HEAD")
    case .refused(let status): await send(LoopbackAnswer(status: status), hasBody: true)
    }
  }

  /// Reads until the head is complete or cannot become valid; nil when the connection ended before.
  private func readHead() async -> LoopbackHead? {
    var bytes: [UInt8] = []
    // One block of memory, so that no copy stays behind when it grows.
    bytes.reserveCapacity(2 * Self.headLimit)
    defer { bytes.wipe() }
    while true {
      guard var chunk = try? await socket.receive(), !chunk.isEmpty else { return nil }
      let searched = max(0, bytes.count - LoopbackHead.end.count + 1)
      bytes += chunk
      chunk.wipe()
      if let end = LoopbackHead.length(of: bytes, from: searched) {
        return end <= Self.headLimit ? LoopbackHead.read(bytes[..<end]) : .refused(status: 431)
      }
      guard bytes.count < Self.headLimit else { return .refused(status: 431) }
    }
  }

  private func send(_ answer: LoopbackAnswer, hasBody: Bool) async {
    guard !isClosed else { return }
    let drained = Wait()
    socket.send { $0 += answer.bytes(hasBody: hasBody) }
    socket.onDrained = { drained.finish() }
    guard socket.queuedBytes > 0 else { return }
    let timer = Timer(after: patience) { drained.finish() }
    await drained.valueOrCancelled()
    timer.cancel()
  }
}

extension [UInt8] {
  /// Overwrites the bytes: they may hold an authorization code.
  fileprivate mutating func wipe() {
    withUnsafeMutableBytes { bytes in
      guard let start = bytes.baseAddress else { return }
      explicit_bzero(start, bytes.count)
    }
  }
}
