import Foundation
import Testing

/// The guide shows the example as it is compiled and tested.
struct GuideExampleTests {
  @Test func theExampleIsTheTestedOne() throws {
    let here = URL(filePath: #filePath).deletingLastPathComponent()
    let example = try String(contentsOf: here.appending(path: "ToolRedactingStore.swift"), encoding: .utf8)
    let guide = try String(contentsOf: here.appending(path: "../../../doc/swift.md").standardized, encoding: .utf8)
    let store = try #require(example.range(of: "struct ToolRedactingStore")).lowerBound
    #expect(guide.contains(example[store...]))
    #expect(example[store...].split(separator: "\n", omittingEmptySubsequences: false).count <= 31)
  }
}
