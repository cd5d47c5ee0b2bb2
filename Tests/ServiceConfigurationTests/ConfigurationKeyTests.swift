// SPDX-License-Identifier: Apache-2.0
import ChappieSDKRuntime
import Platform
import Testing

@testable import ServiceConfiguration

/// The table of the keys, the sample and the manual agree.
struct ConfigurationKeyTests {
  private func text(of file: String) throws -> String {
    let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    return String(decoding: try Files.read("/\(root)/\(file)", limit: 1 << 20), as: UTF8.self)
  }

  /// The groups, each before its keys, and what a value of a key must be.
  private let table: [(name: String, expected: String)] = ConfigurationKey.groups.flatMap { group, keys in
    [("[\(group)]", "")] + keys.compactMap { key in key.name.map { ("\($0)=", key.expected) } }
  }

  @Test func theSampleHasEachKeyWithItsDefault() throws {
    let users = ConfigurationKey.groups.filter { $0.value[0].name == nil }.map { "[\($0.key)]" }
    var group = ""
    let sample = try text(of: "data/chappie.conf").split(separator: "\n").compactMap { line in
      if line.hasPrefix("[") { group = String(line) }
      // The keys of the user's choice are examples.
      return line == group || !users.contains(group) ? line.wholeMatch(of: /#?(\[.+\]|\w+=)(.*)/) : nil
    }
    #expect(sample.map { String($0.1) } == table.map(\.name))

    let options = try ServiceOptions(
      sample.filter { $0.1.hasPrefix("[") || $0.2 != "" }.map { "\($0.1)\($0.2)" }.joined(separator: "\n"))
    let none = try ServiceOptions(directories: [])
    #expect(options.defaults == none.defaults)
    #expect(options.keyring == none.keyring)
    #expect(options.showsNotifications == none.showsNotifications)
    #expect(options.threads?.retention == ChappieThreadStoreRetentionPolicy.default)
    #expect(options.threads?.protection == none.threads?.protection)
  }

  @Test func theManualHasEachKeyWithItsWords() throws {
    let manual = try text(of: "data/man/chappied.8").split(separator: "\n.Sh ").first { $0.hasPrefix("CONFIGURATION") }
    let entries = try #require(manual).split(separator: "\n.It Sy ").dropFirst()
    let names = entries.map { entry in String(entry.prefix { $0 != "\n" }).replacing(" Ns ", with: "") }
    #expect(names == table.map(\.name))
    for (entry, key) in zip(entries, table) {
      for word in key.expected.split(separator: " or ") where !word.contains(" ") {
        #expect(entry.contains(word), "\(key.name)")
      }
    }
  }
}
