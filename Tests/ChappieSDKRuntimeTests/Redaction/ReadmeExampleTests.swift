import Foundation
import Testing

/// The README shows the example as it is compiled and tested.
struct ReadmeExampleTests {
  @Test func theExampleIsTheTestedOne() throws {
    let here = URL(filePath: #filePath).deletingLastPathComponent()
    let example = try String(contentsOf: here.appending(path: "ToolRedactingStore.swift"), encoding: .utf8)
    let readme = try String(contentsOf: here.appending(path: "../../../README.md").standardized, encoding: .utf8)
    let store = try #require(example.range(of: "struct ToolRedactingStore")).lowerBound
    #expect(readme.contains(example[store...]))
    #expect(example[store...].split(separator: "\n", omittingEmptySubsequences: false).count <= 31)
  }
}
