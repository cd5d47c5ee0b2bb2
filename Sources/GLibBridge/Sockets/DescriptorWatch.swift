// SPDX-License-Identifier: Apache-2.0
import CGLib
import Glibc
import Platform

/// Reports that a descriptor is ready.
///
/// All of them share one source of the main context: GLib looks at each of its sources in every iteration, and 256
/// turns have as many sockets.
@GLibActor
final class DescriptorWatch {
  struct Condition: OptionSet, Sendable {
    let rawValue: UInt32

    static let input = Condition(rawValue: EPOLLIN.rawValue)
    static let output = Condition(rawValue: EPOLLOUT.rawValue)
    /// The peer has closed its end, or the descriptor has failed. It is always awaited, and the watch must be released
    /// then.
    static let end = Condition(rawValue: EPOLLHUP.rawValue | EPOLLERR.rawValue)
  }

  /// The conditions that call the action, beside the end.
  var awaited: Condition = [] {
    didSet { if awaited != oldValue { pool.change(self) } }
  }

  fileprivate let descriptor: Descriptor
  fileprivate let id: UInt64
  fileprivate let action: @GLibActor (Condition) -> Void
  private let pool: DescriptorPool

  /// - Throws: ``GLibError`` when the kernel has no room for it.
  init(_ descriptor: Descriptor, _ action: @escaping @GLibActor (Condition) -> Void) throws {
    self.descriptor = descriptor
    self.action = action
    pool = try DescriptorPool.shared()
    id = pool.nextID
    try pool.add(self)
  }

  isolated deinit {
    pool.remove(id, descriptor)
  }
}

/// The watched descriptors of the process, in one epoll descriptor.
@GLibActor
private final class DescriptorPool {
  /// The most descriptors that one iteration of the main loop serves.
  private static let batchSize = 64
  private static var known: DescriptorPool?

  private let epoll: Descriptor
  private var source: SourceWatch?
  private var watches: [UInt64: Weak<DescriptorWatch>] = [:]
  /// Ids are not used twice, so an event of a closed descriptor reaches no other.
  private(set) var nextID: UInt64 = 0

  static func shared() throws -> DescriptorPool {
    if let known { return known }
    let pool = try DescriptorPool()
    known = pool
    return pool
  }

  private init() throws {
    guard let epoll = Descriptor(owning: epoll_create1(Int32(EPOLL_CLOEXEC))) else {
      throw GLibError(errno: errno)
    }
    self.epoll = epoll
    source = SourceWatch(.descriptor(epoll.number, G_IO_IN), repeats: true) { [weak self] in self?.dispatch() }
  }

  func add(_ watch: DescriptorWatch) throws {
    guard control(EPOLL_CTL_ADD, watch.descriptor, watch.id, []) else { throw GLibError(errno: errno) }
    nextID += 1
    watches[watch.id] = Weak(watch)
  }

  func change(_ watch: DescriptorWatch) {
    _ = control(EPOLL_CTL_MOD, watch.descriptor, watch.id, watch.awaited)
  }

  func remove(_ id: UInt64, _ descriptor: Descriptor) {
    guard watches.removeValue(forKey: id) != nil else { return }
    _ = control(EPOLL_CTL_DEL, descriptor, id, [])
  }

  private func control(
    _ operation: Int32, _ descriptor: Descriptor, _ id: UInt64, _ condition: DescriptorWatch.Condition
  ) -> Bool {
    var event = epoll_event(events: condition.rawValue, data: epoll_data_t(u64: id))
    return epoll_ctl(epoll.number, operation, descriptor.number, &event) == 0
  }

  private func dispatch() {
    var events = [epoll_event](repeating: epoll_event(), count: Self.batchSize)
    let count = epoll_wait(epoll.number, &events, Int32(Self.batchSize), 0)
    for event in events.prefix(max(0, Int(count))) {
      guard let watch = watches[event.data.u64]?.value else { continue }
      watch.action(DescriptorWatch.Condition(rawValue: event.events))
    }
  }
}
