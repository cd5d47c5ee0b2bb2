// SPDX-License-Identifier: Apache-2.0
import Platform
import Synchronization

/// The files of calls, on their way from the ``MessageGuard``, which receives them, past GDBus to the ``CallInbox``.
///
/// GDBus reads no descriptors here, but it reads their number in the header of a message. A ticket takes its place.
final class MessageFiles: Sendable {
  private struct State {
    /// Whether an inbox takes the files.
    var isOpen = false
    var waiting: [UInt32: [PassedFile]] = [:]
    var next = firstTicket
  }

  /// No message has so many descriptors.
  private static let firstTicket: UInt32 = 1 << 31

  private let state = Mutex(State())

  /// From now on an inbox takes the files of each call.
  func open() {
    state.withLock { $0.isOpen = true }
  }

  func close() {
    state.withLock { $0 = State() }
  }

  /// - Returns: the ticket; nil when nobody takes the files.
  func add(_ files: [PassedFile]) -> UInt32? {
    state.withLock { state in
      guard state.isOpen else { return nil }
      defer { state.next = max(Self.firstTicket, state.next &+ 1) }
      state.waiting[state.next] = files
      return state.next
    }
  }

  /// Removes and returns the files of a ticket; empty for another number.
  func take(_ ticket: UInt32) -> [PassedFile] {
    state.withLock { $0.waiting.removeValue(forKey: ticket) } ?? []
  }
}

/// The files that came with one call, which are closed once the call has its reply, unless its handler has taken them;
/// and the descriptor that goes with the reply.
package final class CallFiles: Sendable {
  let count: Int
  private let files: Mutex<[PassedFile]>
  private let passed = Mutex<Descriptor?>(nil)

  init(_ files: [PassedFile] = []) {
    count = files.count
    self.files = Mutex(files)
  }

  /// Removes and returns the files, in the order of the call's descriptors.
  package func take() -> [PassedFile] {
    files.withLock { files in
      defer { files = [] }
      return files
    }
  }

  /// Gives the caller a descriptor, as the value `h` 0 of the reply. An error reply closes it.
  package func pass(_ descriptor: Descriptor) {
    passed.withLock { $0 = descriptor }
  }

  func takePassed() -> Descriptor? { passed.withLock { $0.take() } }
}
