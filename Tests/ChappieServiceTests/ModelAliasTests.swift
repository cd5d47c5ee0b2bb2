import ChappieSDK
import GLibBridge
import Testing

@testable import ChappieService

struct ModelAliasTests {
  private func aliases(_ files: String...) throws -> ModelAliases {
    var aliases = ModelAliases()
    for file in files { try aliases.read(KeyFile(Array(file.utf8))) }
    return aliases
  }

  @Test func theFirstFileDecides() throws {
    let aliases = try aliases("[Models]\nfast=gpt-a\nmy model=gpt-a\n", "[Models]\nfast=gpt-b\nbest=gpt-b\n")
    #expect(["fast", "my model", "best", "gpt-c"].map(aliases.slug) == ["gpt-a", "gpt-a", "gpt-b", "gpt-c"])
    #expect(aliases.names(of: "gpt-a") == ["fast", "my model"])
    #expect(aliases.names(of: "gpt-c") == [])
  }

  @Test(arguments: ["fast=", "fast=a\\nb", "fast=a\\x", String(repeating: "a", count: 65) + "=gpt-a"])
  func anAliasThatCannotBeUsedIsAnError(_ line: String) {
    let error = #expect(throws: StartFailure.self) { try aliases("[Models]\n\(line)\n") }
    #expect(error?.description.hasPrefix("[Models] ") == true)
  }

  @Test func callersAndTheConfigurationMayUseAliases() throws {
    let aliases = try aliases("[Models]\nfast=gpt-a\n")
    #expect(try TurnOptions(["model": "fast"], aliases).message.model == "gpt-a")
    let defaults = ChappieConfiguration(applicationID: .desktopUser)
    #expect(try ChappieConfiguration(["model": "fast"], defaults: defaults, aliases).model == "gpt-a")
  }
}
