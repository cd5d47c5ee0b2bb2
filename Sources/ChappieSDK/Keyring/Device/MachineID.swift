import GLibBridge
import Platform
import SecretMemory

/// The id of this machine. Every program here can read it.
enum MachineID {
  @GLibActor private static var known: [UInt8]?

  /// Returns the id. The first call reads it.
  ///
  /// - Throws: ``SecretStoreError/unavailable(_:)`` when this machine has no id.
  @GLibActor
  static func read() throws -> [UInt8] {
    if let known { return known }
    for path in ["/etc/machine-id", "/var/lib/dbus/machine-id"] {
      guard let bytes = try? Files.read(path, limit: 1 << 10) else { continue }
      let id = bytes.prefix { $0 != .lineFeed }
      if id.count == 32 {
        known = Array(id)
        return Array(id)
      }
    }
    throw SecretStoreError.unavailable("this machine has no id in /etc/machine-id to bind the sign-in to")
  }

  /// Returns a name for this machine that does not reveal its id.
  ///
  /// - Throws: as ``read()``.
  @GLibActor
  static func name() throws -> String {
    KeyDerivation.fingerprint(of: try read(), purpose: "org.chappie device name")
  }
}
