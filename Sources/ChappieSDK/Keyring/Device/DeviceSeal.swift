import GLibBridge
import SecretMemory

/// Seals secrets so that they open on this device only, and only for who can read its key.
///
/// The key comes from two things: the machine id, which a copied home does not have, and the random key of this device,
/// which a sandbox that may use the keyring does not have.
struct DeviceSeal: Sendable {
  enum Opened {
    case secret(SecretBytes)
    case otherDevice
    case damaged
  }

  private static let prefix = "chappie2"

  private let key: SecretBytes
  /// A name for this device, which tells neither its id nor its key. Another device key makes another device.
  let deviceName: String
  /// Where the device key is kept.
  let place: DeviceKeyPlace

  init(machineID: [UInt8], deviceKey: SecretBytes, place: DeviceKeyPlace) {
    key = KeyDerivation.deriveKey(from: machineID, and: deviceKey, purpose: "org.chappie seal")
    deviceName = KeyDerivation.fingerprint(of: machineID, and: deviceKey, purpose: "org.chappie device name")
    self.place = place
  }

  /// One line of ASCII.
  func seal(_ secret: SecretBytes, context: [UInt8]) -> SecretBytes {
    let sealed = Base64.encode(AEAD.seal(secret, key: key, context: context))
    return SecretBytes("\(Self.prefix):\(place.rawValue):\(deviceName):\(sealed)".utf8)
  }

  func open(_ line: SealedLine, context: [UInt8]) -> Opened {
    guard line.place == place, line.deviceName == deviceName else { return .otherDevice }
    return AEAD.open(line.sealed, key: key, context: context).map { .secret($0) } ?? .damaged
  }

  /// A line that a seal made, taken apart.
  struct SealedLine {
    let place: DeviceKeyPlace
    let deviceName: String
    fileprivate let sealed: [UInt8]

    /// Nil for what no seal of this version made.
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
