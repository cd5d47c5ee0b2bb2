import GLibBridge
import SecretMemory

/// Seals secrets so that they open on this device only.
///
/// The key comes from the machine id, which every program here can read: it keeps a copied keyring from working
/// elsewhere, and is no protection against programs on this machine.
struct DeviceSeal: Sendable {
  enum Opened {
    case secret(SecretBytes)
    case otherDevice
    case damaged
  }

  private static let prefix = "chappie1:"

  private let key: SecretBytes
  /// A name for this device that does not tell the machine id.
  let deviceName: String

  /// That of this machine, whose id is read once.
  @GLibActor private static var ofThisMachine: DeviceSeal?

  /// - Throws: ``SecretStoreError/unavailable(_:)`` when this machine has no id.
  @GLibActor
  init() throws {
    if let known = Self.ofThisMachine {
      self = known
    } else {
      try self.init(machineID: Self.readMachineID())
      Self.ofThisMachine = self
    }
  }

  init(machineID: [UInt8]) {
    key = SealedBytes.deriveKey(from: machineID, purpose: "org.chappie device key")
    deviceName = SealedBytes.fingerprint(of: machineID, purpose: "org.chappie device name")
  }

  /// One line of ASCII.
  func seal(_ secret: SecretBytes, context: [UInt8]) throws -> SecretBytes {
    let sealed = Base64.encode(SealedBytes.seal(secret, key: key, context: context))
    return SecretBytes("\(Self.prefix)\(deviceName):\(sealed)".utf8)
  }

  func open(_ line: SecretBytes, context: [UInt8]) -> Opened {
    let text = line.withBytes { String(decoding: $0, as: UTF8.self) }
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard text.hasPrefix(Self.prefix), parts.count == 3, let sealed = Base64.decode(parts[2].utf8) else {
      return .damaged
    }
    guard parts[1] == deviceName else { return .otherDevice }
    return SealedBytes.open(sealed, key: key, context: context).map { .secret($0) } ?? .damaged
  }

  private static func readMachineID() throws -> [UInt8] {
    for path in ["/etc/machine-id", "/var/lib/dbus/machine-id"] {
      guard let bytes = try? Files.read(path) else { continue }
      let id = bytes.prefix { $0 != .lineFeed }
      if id.count == 32 { return Array(id) }
    }
    throw SecretStoreError.unavailable("this machine has no id in /etc/machine-id to bind the sign-in to")
  }
}
