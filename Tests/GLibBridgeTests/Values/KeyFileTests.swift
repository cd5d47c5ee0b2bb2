// SPDX-License-Identifier: Apache-2.0
@testable import GLibBridge

struct GLibErrorTests {
  @Test func copiesDomainCodeAndMessage() throws {
    let error = try #require(throws: GLibError.self) { try KeyFile(Array("nonsense".utf8)) }
    #expect(error.domain == "g-key-file-error-quark")
    #expect(error.message.contains("nonsense"))
  }

  @Test func recognisesTimeoutsOfGIOAndTheBus() {
    #expect(GLibError.timedOut.isTimeout)
    let noReply = GLibError(
      domain: "g-dbus-error-quark", code: 4, message: "late", busName: "org.freedesktop.DBus.Error.NoReply")
    #expect(noReply.isTimeout)
    let failed = GLibError(
      domain: "g-dbus-error-quark", code: 0, message: "no", busName: "org.freedesktop.DBus.Error.Failed")
    #expect(!failed.isTimeout)
    // The same code has another meaning in another domain.
    #expect(!GLibError(domain: "other", code: GLibError.timedOut.code, message: "").isTimeout)
  }
}

struct KeyFileTests {
  private func read(_ text: String) throws -> KeyFile {
    try KeyFile(Array(text.utf8))
  }

  @Test func listsGroupsAndKeys() throws {
    let file = try read("# comment\n[Backend]\nIssuer=https://example.org\nBaseURL = spaced \n\n[Client]\nModel=gpt\n")
    #expect(file.groupNames == ["Backend", "Client"])
    #expect(file.keys(of: "Backend") == ["BaseURL", "Issuer"])
    #expect(file.string("Backend", "Issuer") == "https://example.org")
    #expect(file.string("Backend", "BaseURL") == "spaced ")
    #expect(file.string("Client", "Model") == "gpt")
    for (group, key) in [("Client", "model"), ("client", "Model"), ("Missing", "Model")] {
      #expect(file.string(group, key) == nil)
    }
    #expect(file.keys(of: "Missing").isEmpty)
    #expect(try read("").groupNames.isEmpty)
    #expect(try read("[Group]\n").keys(of: "Group").isEmpty)
  }

  @Test(arguments: ["in\\puts", "inputs\\"])
  func returnsNilForAnInvalidEscape(_ value: String) throws {
    let file = try read("[G]\nkey=\(value)\n")
    #expect(file.string("G", "key") == nil)
    #expect(file.rawString("G", "key") == value)
    #expect(file.keys(of: "G") == ["key"])
  }

  @Test func returnsNilForAValueThatIsNotUTF8() throws {
    let file = try KeyFile(Array("[G]\nbad=".utf8) + [0xE4] + Array("\ngood=1\n".utf8))
    #expect(file.string("G", "bad") == nil)
    #expect(file.rawString("G", "bad") == nil)
    #expect(file.keys(of: "G") == ["bad", "good"])
    #expect(file.string("G", "good") == "1")
  }

  @Test func splitsListsAtSeparators() throws {
    let file = try read("[G]\nlist=a;b c;d\\;e;\nnone=\nbad=a\\x;\n")
    #expect(file.strings("G", "list") == ["a", "b c", "d;e"])
    #expect(file.strings("G", "none") == [])
    #expect(file.strings("G", "bad") == nil)
    #expect(file.strings("G", "missing") == nil)
  }
}
