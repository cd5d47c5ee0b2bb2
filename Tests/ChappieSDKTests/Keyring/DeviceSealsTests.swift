// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import SecretMemory
import Testing

@testable import ChappieSDK

/// The choice of a seal for old and for new lines.
@GLibActor
struct DeviceSealsTests {
  /// A device key that can be missing or unavailable.
  @GLibActor
  private final class FakeKey: DeviceKeySource {
    nonisolated let description = "a key of a test"
    var key: SecretBytes?
    var error: SecretStoreError?

    func existing() async throws -> SecretBytes? {
      if let error { throw error }
      return key
    }

    func made() async throws -> SecretBytes {
      if let error { throw error }
      let made = key ?? AEAD.randomKey()
      key = made
      return made
    }
  }

  private final class Choice {
    @GLibActor var place = DeviceKeyPlace.file
  }

  private let file = FakeKey()
  private let tpm = FakeKey()
  private let choice = Choice()
  private let seals: DeviceSeals
  private let secret = SecretBytes("secret".utf8)

  init() {
    seals = DeviceSeals([.file: file, .tpm2: tpm], place: { [choice] in choice.place }) {
      Array("0123456789abcdef0123456789abcdef".utf8)
    }
  }

  private func outcome(_ line: SecretBytes) async throws -> String {
    switch try await seals.open(line, context: [1]) {
    case .secret(let opened): opened.isEqual(to: secret) ? "opened" : "something else"
    case .otherDevice: "another device"
    case .damaged: "damaged"
    }
  }

  @Test func lineStillOpensAfterThePlaceChanges() async throws {
    let old = try await seals.sealing().seal(secret, context: [1])
    choice.place = .tpm2
    #expect(try await outcome(old) == "opened")
    let new = try await seals.sealing().seal(secret, context: [1])
    #expect(new.text.hasPrefix("chappie2:tpm2:"))
    choice.place = .file
    #expect(try await outcome(new) == "opened")
  }

  @Test func readingCreatesNoKey() async throws {
    let line = try await seals.sealing().seal(secret, context: [1])
    file.key = nil
    #expect(try await outcome(line) == "another device")
    #expect(file.key == nil)
    _ = try await seals.sealing()
    #expect(try await outcome(line) == "another device")
  }

  /// The key may come back, so nobody is signed out.
  @Test func throwsWhileTheKeyIsUnavailable() async throws {
    let line = try await seals.sealing().seal(secret, context: [1])
    file.error = .unavailable("not now")
    await #expect(throws: SecretStoreError.unavailable("not now")) { try await outcome(line) }
    file.error = nil
    #expect(try await outcome(line) == "opened")
  }
}
