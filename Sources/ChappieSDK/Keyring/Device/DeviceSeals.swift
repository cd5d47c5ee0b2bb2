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
