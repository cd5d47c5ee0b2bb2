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
  public func subscribe(_ match: Match, _ receive: @escaping @GLibActor (BusSignal) -> Void) -> Observation {
    // GDBus logs a warning when it cannot add a match rule.
    guard !isClosed else { return Observation {} }
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
      }, CallbackBox(receive).retained, CallbackBox<@GLibActor (BusSignal) -> Void>.release)
    return Observation { g_dbus_connection_signal_unsubscribe(self.pointer, id) }
  }

  /// Calls `changed` with the unique name of the owner of `name`, or nil: once soon, and after each change. On a closed
  /// connection no name has an owner.
  public func watchName(_ name: String, _ changed: @escaping @GLibActor (String?) -> Void) -> Observation {
    guard !isClosed else {
      let timer = Timer(after: .zero) { changed(nil) }
      return Observation { timer.cancel() }
    }
    let id = g_bus_watch_name_on_connection(
      pointer, name, G_BUS_NAME_WATCHER_FLAGS_NONE,
      { _, _, owner, data in
        let owner = owner.map { String(cString: $0) }
        GLibActor.assumeIsolated { CallbackBox<@GLibActor (String?) -> Void>.of(data).closure(owner) }
      },
      { _, _, data in
        GLibActor.assumeIsolated { CallbackBox<@GLibActor (String?) -> Void>.of(data).closure(nil) }
      }, CallbackBox(changed).retained, CallbackBox<@GLibActor (String?) -> Void>.release)
    return Observation { g_bus_unwatch_name(id) }
  }
}

let busName = "org.freedesktop.DBus"
let busPath = ObjectPath.root.appending("org").appending("freedesktop").appending("DBus")

/// Bus names.
public enum BusName {
  /// Whether `text` is a well-known name such as `org.example.App`: at most 255 bytes, with two or more elements of
  /// ASCII letters, digits, `-` and `_` that are separated by `.` and do not start with a digit.
  public static func isWellKnown(_ text: String) -> Bool {
    !text.utf8.contains(0) && g_dbus_is_name(text) != 0 && g_dbus_is_unique_name(text) == 0
  }

  /// Whether `text` is the name of a connection, such as `:1.42`.
  public static func isUnique(_ text: String) -> Bool {
    !text.utf8.contains(0) && g_dbus_is_unique_name(text) != 0
  }
}
