import GLibBridge
import SecretMemory

/// The seals of this machine, one for each place of a device key.
///
/// A line tells which of them it was made with: so what was stored opens also after the user chose another place, and
/// what is stored next is sealed with the key in the place that was chosen.
@GLibActor
final class DeviceSeals {
  private let sources: [DeviceKeyPlace: any DeviceKeySource]
  private let machineID: @GLibActor () throws -> [UInt8]
  private let place: @GLibActor () -> DeviceKeyPlace

  /// - Parameters:
  ///   - place: the one of new lines, asked for each time.
  ///   - machineID: throws ``SecretStoreError/unavailable(_:)``.
  init(
    _ sources: [DeviceKeyPlace: any DeviceKeySource], place: @escaping @GLibActor () -> DeviceKeyPlace,
    machineID: @escaping @GLibActor () throws -> [UInt8] = { try MachineID.read() }
  ) {
    self.sources = sources
    self.place = place
    self.machineID = machineID
  }

  /// The seal of what is stored from now on. Makes the device key where there is none.
  ///
  /// - Throws: ``SecretStoreError/unavailable(_:)`` where nothing can be bound to this device, `CancellationError`.
  func sealing() async throws -> DeviceSeal {
    let machineID = try machineID()
    let place = place()
    return DeviceSeal(machineID: machineID, deviceKey: try await source(place).made(), place: place)
  }

  /// Opens a line from the keyring.
  ///
  /// - Throws: ``SecretStoreError/unavailable(_:)`` where the device key cannot be read now, `CancellationError`.
  func open(_ line: SecretBytes, context: [UInt8]) async throws -> DeviceSeal.Opened {
    guard let line = DeviceSeal.SealedLine(line) else { return .damaged }
    let machineID = try machineID()
    // Without a key nothing here could have made the line, or what made it is gone.
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
