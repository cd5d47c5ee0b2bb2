// SPDX-License-Identifier: Apache-2.0
import CGLib

/// A received signal.
public struct BusSignal: Sendable {
  public let sender: String
  public let path: ObjectPath
  public let interface: String
  public let member: String
  public let arguments: Variant
}

/// A subscription to signals. Releasing it ends it.
@GLibActor
public final class BusSubscription {
  private let connection: BusConnection
  /// Nil for a closed connection, which delivers no signals.
  private let id: UInt32?

  fileprivate init(connection: BusConnection, id: UInt32?) {
    self.connection = connection
    self.id = id
  }

  isolated deinit {
    guard let id else { return }
    g_dbus_connection_signal_unsubscribe(connection.pointer, id)
  }
}

/// A watch on the owner of a bus name. Releasing it ends it.
@GLibActor
public final class BusNameWatch {
  private enum Source {
    case bus(UInt32)
    /// The connection was already closed: reports once that the name has no owner.
    case closed(Timer)
  }

  private let source: Source

  fileprivate init(id: UInt32) {
    source = .bus(id)
  }

  fileprivate init(closed tell: Timer) {
    source = .closed(tell)
  }

  isolated deinit {
    switch source {
    case .bus(let id): g_bus_unwatch_name(id)
    case .closed(let timer): timer.cancel()
    }
  }
}

extension BusConnection {
  /// A match rule for signals. Nil matches any value.
  public struct Match: Sendable {
    public var sender: String?
    public var path: ObjectPath?
    public var interface: String?
    public var member: String?

    public init(
      sender: String? = nil, path: ObjectPath? = nil, interface: String? = nil, member: String? = nil
    ) {
      self.sender = sender
      self.path = path
      self.interface = interface
      self.member = member
    }
  }

  /// Calls `receive` for each matching signal. Delivers nothing when the connection is closed.
  public func subscribe(_ match: Match, _ receive: @escaping @GLibActor (BusSignal) -> Void) -> BusSubscription {
    // GDBus logs a warning when it cannot add a match rule.
    guard !isClosed else { return BusSubscription(connection: self, id: nil) }
    let box = CallbackBox(receive)
    let id = g_dbus_connection_signal_subscribe(
      pointer, match.sender, match.interface, match.member, match.path?.string, nil,
      G_DBUS_SIGNAL_FLAGS_NONE,
      { _, sender, path, interface, member, arguments, data in
        guard let path, let objectPath = ObjectPath(String(cString: path)), let interface, let member else { return }
        let signal = BusSignal(
          sender: sender.map { String(cString: $0) } ?? "", path: objectPath,
          interface: String(cString: interface), member: String(cString: member),
          arguments: Variant(sharing: arguments))
        GLibActor.assumeIsolated { CallbackBox<@GLibActor (BusSignal) -> Void>.of(data).closure(signal) }
      }, box.retained, CallbackBox<@GLibActor (BusSignal) -> Void>.release)
    return BusSubscription(connection: self, id: id)
  }

  /// Calls `changed` with the unique name of the owner of `name`, or nil: once soon, and after each change. On a closed
  /// connection no name has an owner.
  public func watchName(_ name: String, _ changed: @escaping @GLibActor (String?) -> Void) -> BusNameWatch {
    guard !isClosed else { return BusNameWatch(closed: Timer(after: .zero) { changed(nil) }) }
    let box = CallbackBox(changed)
    let id = g_bus_watch_name_on_connection(
      pointer, name, G_BUS_NAME_WATCHER_FLAGS_NONE,
      { _, _, owner, data in
        let owner = owner.map { String(cString: $0) }
        GLibActor.assumeIsolated { CallbackBox<@GLibActor (String?) -> Void>.of(data).closure(owner) }
      },
      { _, _, data in
        GLibActor.assumeIsolated { CallbackBox<@GLibActor (String?) -> Void>.of(data).closure(nil) }
      }, box.retained, CallbackBox<@GLibActor (String?) -> Void>.release)
    return BusNameWatch(id: id)
  }
}
