// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import Glibc
import Platform
import TestSupport
import Testing

@testable import ChappieSDKRuntime
@testable import ServiceConfiguration

extension ServiceOptions {
  /// The options of files, the first one before the others.
  init(_ files: [UInt8]..., issuer: String? = nil) throws {
    let root = try TemporaryDirectory()
    let directories = try files.indices.map { number in
      let directory = "\(root.path)/\(number)"
      try Files.makeDirectory("\(directory)/chappie")
      try Files.write(files[number], to: "\(directory)/chappie/chappie.conf")
      return directory
    }
    self = try withExtendedLifetime(root) {
      try ServiceOptions(issuer: issuer, directories: ["/nonexistent"] + directories)
    }
  }

  init(_ file: String, issuer: String? = nil) throws {
    try self.init(Array(file.utf8), issuer: issuer)
  }
}

/// The command line and `chappie/chappie.conf`. The service does not start with what it does not understand.
struct ServiceOptionsTests {
  private func expectFault(_ file: String, _ sentence: String) { expectFault(Array(file.utf8), sentence) }

  private func expectFault(_ file: [UInt8], _ sentence: String) {
    let failure = #expect(throws: StartFailure.self) { try ServiceOptions(file) }
    #expect(
      failure?.description.contains("/0/chappie/chappie.conf: \(sentence)") == true, "\(failure?.description ?? "")")
  }

  // MARK: Values

  @Test func eachOptionReplacesOneDefault() throws {
    let standard = try ServiceOptions(directories: []).defaults
    #expect(standard == ChappieConfiguration(harness: .chappie, applicationID: .desktopUser))
    let options = try ServiceOptions(
      "[Backend]\nIssuer=https://other.example.org\nClientID=client\n[Client]\nModel=gpt-test\n",
      issuer: "http://127.0.0.1:1/")
    #expect(options.defaults.backend.issuer == "http://127.0.0.1:1")
    #expect(options.defaults.backend.baseURL == ChappieBackend.production.baseURL)
    #expect(options.defaults.backend.apiURL == "http://127.0.0.1:1/v1")
    #expect(options.defaults.backend.clientID == "client")
    #expect(options.defaults.model == "gpt-test")
  }

  @Test(arguments: ["http://localhost:1", "http://127.0.0.1:1/backend-api", "http://[::1]:1", "https://example.com"])
  func takesServersThatAreHTTPSOrLoopback(_ url: String) throws {
    let backend = try ServiceOptions(issuer: url, baseURL: "\(url)/", directories: []).defaults.backend
    #expect([backend.issuer, backend.baseURL, backend.apiURL] == [url, url, "\(url)/v1"])
  }

  @Test(arguments: [
    "http://example.org", "example.org", "ftp://127.0.0.1", "", "https://", "//example.org",
    "http://localhost.example.org",
  ])
  func rejectsServersThatAreNeitherHTTPSNorLoopback(_ url: String) {
    #expect(throws: ChappieClientError.self) { try ServiceOptions(issuer: url, directories: []) }
    #expect(throws: ChappieClientError.self) { try ServiceOptions(baseURL: url, directories: []) }
    expectFault("[Backend]\nBaseURL=\(url)", "[Backend] BaseURL= must be an HTTPS address")
  }

  @Test func theFirstFileWithAKeyDecidesItsValue() throws {
    let options = try ServiceOptions(
      Array("[Threads]\nMaximumSize=1\n[Redaction]\nDrop=titles\n[Models]\nfast=gpt-a\nmy model=gpt-a\n".utf8),
      Array("[Redaction]\nDrop=\\q\nMask=inputs\n[Models]\nfast=gpt-b\nbest=gpt-b\n[Client]\nModel=best\n".utf8))
    #expect(options.files.count == 2)
    #expect(options.threads?.retention.maximumTotalBytes == 1 << 20)
    #expect(options.threads?.redaction?.title("A title") == "")
    #expect(options.defaults.model == "gpt-b")
    #expect(["fast", "my model", "best", "gpt-c"].map(options.models.slug) == ["gpt-a", "gpt-a", "gpt-b", "gpt-c"])
    #expect(options.models.names(of: "gpt-a") == ["fast", "my model"])
    #expect(options.models.names(of: "gpt-c") == [])
  }

  @Test func valuesReplaceTheDefaults() throws {
    #expect(try ServiceOptions("[Threads]\nEnabled=false\n").threads == nil)
    #expect(try ServiceOptions("[Threads]\nMaximumSize=unlimited\n").threads?.retention.maximumTotalBytes == .some(nil))
    #expect(try ServiceOptions("[Threads]\nDeleteAfter=0.5\n").threads?.retention.deleteArchivedAfter == 43_200)
    #expect(try !ServiceOptions("[Notifications]\nEnabled=false\n").showsNotifications)
    #expect(try ServiceOptions("[Lock]\nUnknown=deny\n").defaults.unknownLockPolicy == .deny)
    #expect(try ServiceOptions("[Keyring]\nPlainSession=allow\nDeviceKey=tpm2\n").keyring.allowsPlainSessions)
    let patterns = try ServiceOptions("[Redaction Patterns]\nword=\\bsecret\\b\n")
    #expect(patterns.threads?.redaction?.title("a secret") == "a [redacted]")
    let words = try ServiceOptions("[Redaction]\nDrop=titles;tool-arguments\nMask=tool-outputs\n").threads?.redaction
    #expect(words?.title("A title") == "")
    let call = ChappieTurnEvent.toolCall(callID: "call", name: "pay", arguments: #"{"to":"Hagen"}"#)
    let output = ChappieTurnEvent.toolOutput(callID: "call", name: "pay", status: .completed, output: "A receipt")
    #expect(
      words?.turn(ChappieTurn(id: "turn", recordedAtSeconds: 1, events: [call, output])).events == [
        .toolCall(callID: "call", name: "pay", arguments: ""),
        .toolOutput(callID: "call", name: "pay", status: .completed, output: "[redacted]"),
      ])
  }

  // MARK: Faults

  @Test(arguments: [
    (#"[Redaction]\#nDrop=in\puts"#, "[Redaction] Drop= must be text in UTF-8 with \\\\ for each backslash."),
    ("[Models]\nfast=a\\x", "[Models] fast= must be text in UTF-8 with"),
    ("[Redaction]\nDrops=inputs", "[Redaction] Drops= is no key: the keys are Drop=, Mask=."),
    ("[Threads]\nenabled=false", "[Threads] enabled= is no key: the keys are Enabled=, MaximumSize="),
    ("[Redactions]\nDrop=inputs", "[Redactions] is no group: the groups are [Backend], [Client], [Models], "),
    ("[redaction]", "[redaction] is no group"),
    ("[Redaction]\nMask=tool_outputs", "[Redaction] Mask= must be words of titles, inputs, images, outputs, "),
    ("[Redaction Patterns]\ncard=(", "[Redaction Patterns] card= must be a regular expression."),
    ("[Backend]\nIssuers=https://example.org", "[Backend] Issuers= is no key: the keys are Issuer=, BaseURL=, "),
    ("[Keyring]\nDeviceKey=disk", "[Keyring] DeviceKey= must be file or tpm2, not “disk”."),
    ("[Threads]\nMaximumSize=0", "[Threads] MaximumSize= must be a number of MiB above 0, or unlimited, not “0”."),
    ("[Models]\nfast=", "[Models] fast= must be the slug of a model, with a name of at most 64 bytes, not “”."),
    ("[Models]\nfast=a\\nb", "[Models] fast= must be the slug of a model"),
    ("[Models]\n\(String(repeating: "a", count: 65))=gpt-a", "[Models] aaa"),
  ])
  func reportsWhatItDoesNotUnderstand(_ file: String, _ sentence: String) {
    expectFault(file, sentence)
  }

  @Test(arguments: [
    ("Client", "Transport"), ("Lock", "Unknown"), ("Keyring", "DeviceKey"), ("Keyring", "PlainSession"),
    ("Threads", "Enabled"), ("Threads", "MaximumSize"), ("Threads", "ArchiveAfter"), ("Threads", "DeleteAfter"),
    ("Threads", "Protection"), ("Notifications", "Enabled"),
  ])
  func reportsOtherWordsAndNumbers(_ group: String, _ name: String) {
    for value in ["", "no", "TRUE", "0", "-1", "1e-12", "1e300", "nan", "inf"] {
      expectFault("[\(group)]\n\(name)=\(value)", "[\(group)] \(name)= must be ")
    }
  }

  /// The user has a configuration, on a disk that is not mounted.
  @Test func reportsALinkToNothing() throws {
    let root = try TemporaryDirectory()
    try Files.makeDirectory("\(root.path)/chappie")
    #expect(symlink("nothing", "\(root.path)/chappie/chappie.conf") == 0)
    #expect {
      try ServiceOptions(directories: [root.path])
    } throws: { "\($0)" == "\(root.path)/chappie/chappie.conf: It is a link to nothing." }
  }

  @Test func aPasswordInAnAddressIsNotReported() {
    expectFault(
      "[Backend]\nIssuer=https://ada:secret@example.org",
      "[Backend] Issuer= must be an HTTPS address (plain HTTP is for the loopback alone).")
    #expect {
      try ServiceOptions(issuer: "https://ada:secret@example.org", directories: [])
    } throws: { !"\($0)".contains("secret") }
  }

  @Test func reportsFilesThatAreTooLargeOrNotUTF8() {
    expectFault([UInt8](repeating: 0x0A, count: (1 << 20) + 1), "it has more than 1048576 bytes")
    for (group, key) in [("Redaction", "Drop"), ("Redaction Patterns", "name"), ("Models", "name")] {
      expectFault(
        Array("[\(group)]\n\(key)=Gr".utf8) + [0xFC] + Array("n\n".utf8),
        "[\(group)] \(key)= must be text in UTF-8 with")
    }
  }
}
