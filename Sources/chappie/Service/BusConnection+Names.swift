import GLibBridge
import Platform

/// What the bus itself tells about names.
extension BusConnection {
  private static var bus: String { "org.freedesktop.DBus" }
  private static var deadline: Duration { .seconds(5) }

  /// Whether a program on the bus has the name.
  func hasOwner(_ name: String) async -> Bool {
    (try? await ask("NameHasOwner", .tuple(name)).member(0, "owned", as: Bool.self)) ?? false
  }

  /// The names that the bus can start a program for.
  func activatableNames() async -> Set<String> {
    Set((try? await ask("ListActivatableNames").member(0, "names", as: [String].self)) ?? [])
  }

  /// Whether one of the names has an owner, or the bus could start one.
  func knows(_ names: [String]) async -> Bool {
    if !(await activatableNames()).isDisjoint(with: names) { return true }
    for name in names where await hasOwner(name) { return true }
    return false
  }

  /// The name that the kernel has for the program that owns `name`: at most 15 bytes. Nil when it is not known.
  func processName(of name: String) async -> String? {
    guard let id = try? await ask("GetConnectionUnixProcessID", .tuple(name)).member(0, "pid", as: UInt32.self),
      let text = try? Files.read("/proc/\(id)/comm", limit: 64)
    else { return nil }
    return String(decoding: text, as: UTF8.self).trimmed
  }

  private func ask(_ member: String, _ arguments: Variant = .tuple([])) async throws -> Variant {
    try await call(
      Self.bus, .root.appending("org").appending("freedesktop").appending("DBus"), Self.bus, member, arguments,
      timeout: Self.deadline)
  }
}
