import ChappieSDKRuntime
import GLibBridge
import Testing

@testable import ChappieService

/// The service does not start with an invalid thread configuration.
struct ThreadOptionsTests {
  private func read(_ files: String...) throws -> ThreadPolicy? {
    var options = ThreadOptions()
    for file in files { try options.read(KeyFile(Array(file.utf8))) }
    return try options.policy()
  }

  private func startError(_ bytes: [UInt8]) -> String? {
    let failure = #expect(throws: StartFailure.self) {
      var options = ThreadOptions()
      try options.read(KeyFile(bytes))
      _ = try options.policy()
    }
    return failure?.description
  }

  @Test func theFirstFileWithAKeyDecidesItsValue() throws {
    let policy = try read(
      "[Threads]\nMaximumSize=1\n[Redaction]\nDrop=titles\n", "[Redaction]\nDrop=\\q\nMask=inputs\n")
    #expect(policy?.retention.maximumTotalBytes == 1 << 20)
    #expect(policy?.redaction?.title("A title") == "")
    #expect(try read("[Threads]\nEnabled=false\n") == nil)
    #expect(try read("[Redaction Patterns]\nword=\\bsecret\\b\n")?.redaction?.title("a secret") == "a [redacted]")
  }

  @Test(arguments: [
    (#"[Redaction]\#nDrop=in\puts"#, "[Redaction] Drop= in the configuration must be text in UTF-8 with"),
    (#"[Redaction]\#nDrop=inputs\"#, "[Redaction] Drop= in the configuration must be text in UTF-8 with"),
    (#"[Threads]\#nEnabled=fal\de"#, "[Threads] Enabled= in the configuration must be text in UTF-8 with"),
    ("[Redaction]\nDrops=inputs", "[Redaction] Drops= in the configuration is no key: the keys are Drop=, Mask=."),
    ("[Threads]\nenabled=false", "[Threads] enabled= in the configuration is no key: the keys are Enabled=, Maximum"),
    ("[Redactions]\nDrop=inputs", "[Redactions] in the configuration must be [Redaction] or [Redaction Patterns]."),
    ("[Redaction patterns]\na=b", "[Redaction patterns] in the configuration must be"),
    ("[redaction]\nDrop=inputs", "[redaction] in the configuration must be"),
  ])
  func reportsUnknownKeysGroupsAndEscapes(_ file: String, _ sentence: String) {
    #expect(startError(Array(file.utf8))?.hasPrefix(sentence) == true)
  }

  @Test func reportsValuesThatAreNotUTF8() {
    #expect(
      startError(Array("[Redaction Patterns]\nname=Gr".utf8) + [0xFC] + Array("n\n".utf8))
        == "[Redaction Patterns] name= in the configuration must be text in UTF-8.")
    for (group, key) in [("Redaction", "Drop"), ("Threads", "Enabled")] {
      #expect(
        startError(Array("[\(group)]\n\(key)=".utf8) + [0xFC, 0x0A])
          == "[\(group)] \(key)= in the configuration must be text in UTF-8 with \\\\ for each backslash.")
    }
  }
}
