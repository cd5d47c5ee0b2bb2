import FoundationEssentials
import SecretMemory
import Testing

@testable import ChappieSDK

struct DeviceSealTests {
  private static let here = DeviceSeal(machineID: Array("0123456789abcdef0123456789abcdef".utf8))
  private static let elsewhere = DeviceSeal(machineID: Array("fedcba9876543210fedcba9876543210".utf8))
  private static let context = Array("slot".utf8)
  private static let secret = SecretBytes("what is sealed".utf8)

  private static func line() throws -> String {
    try here.seal(secret, context: context).withBytes { String(decoding: $0, as: UTF8.self) }
  }

  private static func open(_ line: String, _ seal: DeviceSeal = here, _ context: [UInt8] = context) -> DeviceSeal.Opened
  {
    seal.open(SecretBytes(line.utf8), context: context)
  }

  private static func isDamaged(_ opened: DeviceSeal.Opened) -> Bool {
    if case .damaged = opened { return true }
    return false
  }

  @Test func opensWhatItSealed() throws {
    guard case .secret(let opened) = Self.open(try Self.line()) else {
      Issue.record("it does not open")
      return
    }
    #expect(opened.isEqual(to: Self.secret))
  }

  @Test func sealsToOneLineOfASCII() throws {
    let line = try Self.line()
    #expect(line.utf8.allSatisfy { (0x21...0x7E).contains($0) })
    #expect(line.hasPrefix("chappie1:\(Self.here.deviceName):"))
    #expect(!line.contains("sealed"))
  }

  @Test func tellsAnotherDeviceFromDamage() throws {
    guard case .otherDevice = Self.open(try Self.line(), Self.elsewhere) else {
      Issue.record("it is not known as another device's")
      return
    }
  }

  /// Who renames the device in the line gains nothing: the key is another one.
  @Test func theNameOfTheDeviceIsNotWhatProtects() throws {
    let parts = try Self.line().split(separator: ":")
    let renamed = "\(parts[0]):\(Self.elsewhere.deviceName):\(parts[2])"
    #expect(Self.isDamaged(Self.open(renamed, Self.elsewhere)))
  }

  @Test func needsTheSameContext() throws {
    #expect(Self.isDamaged(Self.open(try Self.line(), Self.here, Array("other".utf8))))
    #expect(Self.isDamaged(Self.open(try Self.line(), Self.here, [])))
  }

  @Test func noticesEachChangedByteOfTheSealedPart() throws {
    let line = try Self.line()
    let parts = line.split(separator: ":")
    let sealed = try #require(Data(base64Encoded: String(parts[2])))
    for index in sealed.indices {
      var changed = sealed
      changed[index] ^= 1
      let tampered = "\(parts[0]):\(parts[1]):\(changed.base64EncodedString())"
      #expect(Self.isDamaged(Self.open(tampered)), "byte \(index)")
    }
  }

  @Test func noticesEachTruncation() throws {
    let line = try Self.line()
    for count in 0..<line.count {
      if case .secret = Self.open(String(line.prefix(count))) { Issue.record("opened with \(count) characters") }
    }
  }

  @Test(arguments: [
    "", ":", "::", "chappie1:", "chappie1:NAME", "chappie1:NAME:", "chappie1:NAME:*", "chappie1:NAME:QUJD",
    "chappie2:NAME:QUJD", "chappie1:NAME:QUJD:QUJD", "{\"access_token\":\"a\"}", "\0\u{1}", "chappie1:NAME:QUJD\n",
  ])
  func garbageIsDamaged(_ form: String) {
    #expect(Self.isDamaged(Self.open(form.replacing("NAME", with: Self.here.deviceName))))
  }

  @Test func bytesThatAreNoTextAreDamaged() {
    #expect(Self.isDamaged(Self.here.open(SecretBytes([0xFF, 0xFE, 0x3A]), context: Self.context)))
  }

  @Test func theDevicesNameDoesNotTellTheMachineID() {
    #expect(Self.here.deviceName != Self.elsewhere.deviceName)
    #expect(Self.here.deviceName.count == 32)
    #expect(Self.here.deviceName != "0123456789abcdef0123456789abcdef")
    #expect(DeviceSeal(machineID: Array("0123456789abcdef0123456789abcdef".utf8)).deviceName == Self.here.deviceName)
  }
}
