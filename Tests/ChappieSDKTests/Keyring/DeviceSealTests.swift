// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import SecretMemory
import Testing

@testable import ChappieSDK

struct DeviceSealTests {
  private static let machine = Array("0123456789abcdef0123456789abcdef".utf8)
  private static let otherMachine = Array("fedcba9876543210fedcba9876543210".utf8)
  private static let deviceKey = SecretBytes(0..<32)
  private static let otherKey = SecretBytes(1..<33)

  private static let here = DeviceSeal(machineID: machine, deviceKey: deviceKey, place: .file)
  /// A copied home on another machine: the device key without the machine id.
  private static let elsewhere = DeviceSeal(machineID: otherMachine, deviceKey: deviceKey, place: .file)
  /// A sandbox on this machine: the machine id without the device key.
  private static let inSandbox = DeviceSeal(machineID: machine, deviceKey: otherKey, place: .file)
  private static let context = Array("slot".utf8)
  private static let secret = SecretBytes("what is sealed".utf8)

  private static func line() -> String {
    here.seal(secret, context: context).withBytes { String(decoding: $0, as: UTF8.self) }
  }

  private static func open(_ line: String, _ seal: DeviceSeal = here, _ context: [UInt8] = context) -> DeviceSeal.Opened
  {
    DeviceSeal.SealedLine(SecretBytes(line.utf8)).map { seal.open($0, context: context) } ?? .damaged
  }

  private static func isDamaged(_ opened: DeviceSeal.Opened) -> Bool {
    if case .damaged = opened { return true }
    return false
  }

  @Test func sealsToOneLineOfASCIIThatOpens() {
    let line = Self.line()
    #expect(line.utf8.allSatisfy { (0x21...0x7E).contains($0) })
    #expect(line.hasPrefix("chappie2:file:\(Self.here.deviceName):"))
    #expect(!line.contains("sealed"))
    guard case .secret(let opened) = Self.open(line) else {
      Issue.record("it does not open")
      return
    }
    #expect(opened.isEqual(to: Self.secret))
  }

  /// The same key in the TPM and in a file makes two devices.
  @Test(arguments: [elsewhere, inSandbox, DeviceSeal(machineID: machine, deviceKey: deviceKey, place: .tpm2)])
  func opensOnlyOnThisMachineWithThisKeyInItsPlace(_ other: DeviceSeal) {
    guard case .otherDevice = Self.open(Self.line(), other) else {
      Issue.record("it is not known as another device's")
      return
    }
  }

  /// A forged device name in the line does not help, because the key differs.
  @Test(arguments: [elsewhere, inSandbox])
  func forgedDeviceNameDoesNotOpen(_ other: DeviceSeal) throws {
    let parts = Self.line().split(separator: ":")
    let renamed = "\(parts[0]):\(parts[1]):\(other.deviceName):\(parts[3])"
    #expect(Self.isDamaged(Self.open(renamed, other)))
  }

  @Test func opensOnlyWithTheSameContext() throws {
    #expect(Self.isDamaged(Self.open(Self.line(), Self.here, Array("other".utf8))))
    #expect(Self.isDamaged(Self.open(Self.line(), Self.here, [])))
  }

  @Test func detectsEachChangedOrMissingByte() throws {
    let line = Self.line()
    for count in 0..<line.count {
      if case .secret = Self.open(String(line.prefix(count))) { Issue.record("opened with \(count) characters") }
    }
    let parts = line.split(separator: ":")
    let sealed = try #require(Data(base64Encoded: String(parts[3])))
    for index in sealed.indices {
      var changed = sealed
      changed[index] ^= 1
      let tampered = "\(parts[0]):\(parts[1]):\(parts[2]):\(changed.base64EncodedString())"
      #expect(Self.isDamaged(Self.open(tampered)), "byte \(index)")
    }
  }

  @Test(arguments: [
    "", ":", "::", ":::", "chappie2:", "chappie2:file:NAME", "chappie2:file:NAME:", "chappie2:file:NAME:*",
    "chappie2:file:NAME:QUJD", "chappie1:NAME:QUJD", "chappie1:file:NAME:QUJD", "chappie2:disk:NAME:QUJD",
    "chappie2:file:NAME:QUJD:QUJD", "{\"access_token\":\"a\"}", "\0\u{1}", "chappie2:file:NAME:QUJD\n",
  ])
  func garbageIsDamaged(_ form: String) {
    #expect(Self.isDamaged(Self.open(form.replacing("NAME", with: Self.here.deviceName))))
    #expect(DeviceSeal.SealedLine(SecretBytes([0xFF, 0xFE, 0x3A])) == nil, "it is no UTF-8")
  }

  @Test func deviceNameRevealsNeitherMachineIDNorKey() {
    let names = [Self.here, Self.elsewhere, Self.inSandbox].map(\.deviceName)
    #expect(Set(names).count == 3)
    #expect(names.allSatisfy { $0.count == 32 })
    #expect(!names.contains("0123456789abcdef0123456789abcdef"))
    let same = DeviceSeal(machineID: Self.machine, deviceKey: SecretBytes(0..<32), place: .file)
    #expect(same.deviceName == Self.here.deviceName)
  }
}
