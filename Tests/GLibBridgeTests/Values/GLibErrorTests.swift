// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import GLibBridge

struct GLibErrorTests {
  @Test func copiesDomainCodeAndMessage() throws {
    let error = try #require(throws: GLibError.self) { try KeyFile(Array("nonsense".utf8)) }
    #expect(error.domain == "g-key-file-error-quark")
    #expect(error.message.contains("nonsense"))
    #expect(error.busName == nil)
    #expect(!error.isTimeout)
    #expect(!error.isCancelled)
  }

  @Test func recognisesTimeoutsOfGIOAndTheBus() {
    #expect(GLibError.timedOut.isTimeout)
    #expect(!GLibError.timedOut.isCancelled)
    let noReply = GLibError(
      domain: "g-dbus-error-quark", code: 4, message: "late", busName: "org.freedesktop.DBus.Error.NoReply")
    #expect(noReply.isTimeout)
    let failed = GLibError(
      domain: "g-dbus-error-quark", code: 0, message: "no", busName: "org.freedesktop.DBus.Error.Failed")
    #expect(!failed.isTimeout)
    // The same code has another meaning in another domain.
    let other = GLibError(domain: "other", code: GLibError.timedOut.code, message: "")
    #expect(!other.isTimeout)
    #expect(!other.isCancelled)
  }
}
