// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import SecretMemory

/// The seals of this machine, one for each place of a device key.
///
/// A sealed line names its place. Old lines therefore still open after the user chooses another place, and new lines
/// use the key in the chosen place.
@GLibActor
final class DeviceSeals {
  private let sources: [DeviceKeyPlace: any DeviceKeySource]
  private let machineID: @GLibActor () throws -> [UInt8]
  private let place: @GLibActor () -> DeviceKeyPlace

  /// - Parameters:
  ///   - place: the place for new lines, read before each seal.
  ///   - machineID: throws ``SecretStoreError/unavailable(_:)``.
  init(
    _ sources: [DeviceKeyPlace: any DeviceKeySource], place: @escaping @GLibActor () -> DeviceKeyPlace,
    machineID: @escaping @GLibActor () throws -> [UInt8] = { try MachineID.read() }
  ) {
    self.sources = sources
    self.place = place
    self.machineID = machineID
  }

  /// Returns the seal for new secrets. Creates the device key if none exists.
  ///
  /// - Throws: ``SecretStoreError/unavailable(_:)`` when nothing can be bound to this device, `CancellationError`.
  func sealing() async throws -> DeviceSeal {
    let machineID = try machineID()
    let place = place()
    return DeviceSeal(machineID: machineID, deviceKey: try await source(place).made(), place: place)
  }

  /// Opens a line from the keyring.
  ///
  /// - Throws: ``SecretStoreError/unavailable(_:)`` when the device key cannot be read now, `CancellationError`.
  func open(_ line: SecretBytes, context: [UInt8]) async throws -> DeviceSeal.Opened {
    guard let line = DeviceSeal.SealedLine(line) else { return .damaged }
    let machineID = try machineID()
    // Without a key, the line comes from another device or its key has been deleted.
    guard let key = try await source(line.place).existing() else { return .otherDevice }
    return DeviceSeal(machineID: machineID, deviceKey: key, place: line.place).open(line, context: context)
  }

  private func source(_ place: DeviceKeyPlace) throws -> any DeviceKeySource {
    guard let source = sources[place] else {
      throw SecretStoreError.unavailable("this program has no way to a device key of the kind \(place.rawValue)")
    }
    return source
  }
}

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

/// The desktop keyring of this process.
@GLibActor
package enum DesktopKeyring {
  /// The keyring's configuration. A program sets it before it uses a slot.
  package static var policy = KeyringPolicy()

  static let client = SecretServiceClient(allowsPlainSessions: { policy.allowsPlainSessions })
  static let seals = DeviceSeals([
    .file: DeviceKeyFile(directory: .deviceKeys), .tpm2: TPMDeviceKey(directory: .deviceKeys),
  ]) { policy.deviceKey }
}

/// A program's settings for the desktop keyring.
package struct KeyringPolicy: Sendable, Hashable {
  /// The place of the key that seals new items.
  package var deviceKey = DeviceKeyPlace.file

  /// Whether secrets may cross the session bus unencrypted when the keyring offers no encrypted session.
  package var allowsPlainSessions = false

  package init() {}
}
