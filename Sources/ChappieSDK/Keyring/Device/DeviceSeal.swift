import GLibBridge
import SecretMemory

/// Seals secrets so that they open on this device only, and only for readers of its key.
///
/// The sealing key comes from two parts: the machine id, absent from a copied home, and the random key of this device,
/// absent from a sandbox with access to the keyring.
struct DeviceSeal: Sendable {
  enum Opened {
    case secret(SecretBytes)
    case otherDevice
    case damaged
  }

  private static let prefix = "chappie2"

  private let key: SecretBytes
  /// A name for this device. It reveals neither the machine id nor the key. Another device key gives another name.
  let deviceName: String
  /// The place of the device key.
  let place: DeviceKeyPlace

  init(machineID: [UInt8], deviceKey: SecretBytes, place: DeviceKeyPlace) {
    key = KeyDerivation.deriveKey(from: machineID, and: deviceKey, purpose: "org.chappie seal")
    deviceName = KeyDerivation.fingerprint(of: machineID, and: deviceKey, purpose: "org.chappie device name")
    self.place = place
  }

  /// Seals a secret into one line of ASCII.
  func seal(_ secret: SecretBytes, context: [UInt8]) -> SecretBytes {
    let sealed = Base64.encode(AEAD.seal(secret, key: key, context: context))
    return SecretBytes("\(Self.prefix):\(place.rawValue):\(deviceName):\(sealed)".utf8)
  }

  func open(_ line: SealedLine, context: [UInt8]) -> Opened {
    guard line.place == place, line.deviceName == deviceName else { return .otherDevice }
    return AEAD.open(line.sealed, key: key, context: context).map { .secret($0) } ?? .damaged
  }

  /// The parsed parts of a sealed line.
  struct SealedLine {
    let place: DeviceKeyPlace
    let deviceName: String
    fileprivate let sealed: [UInt8]

    /// Returns nil for a line that no seal of this version made.
    init?(_ line: SecretBytes) {
      let text = line.withBytes { String(decoding: $0, as: UTF8.self) }
      let parts = text.split(separator: ":", omittingEmptySubsequences: false)
      guard parts.count == 4, parts[0] == prefix, let place = DeviceKeyPlace(rawValue: String(parts[1])),
        let sealed = Base64.decode(parts[3].utf8)
      else { return nil }
      self.place = place
      deviceName = String(parts[2])
      self.sealed = sealed
    }
  }
}
