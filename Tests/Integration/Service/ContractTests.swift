// SPDX-License-Identifier: Apache-2.0
import ChappieBusInterfaces
import ChappieSDK

/// The documents describe the bus as it is.
@Suite(.worlds) @GLibActor
struct ContractTests {
  private nonisolated static let interfaces = [
    "org.chappie.Manager": BusInterfaceFiles.manager, "org.chappie.Session": BusInterfaceFiles.session,
    "org.chappie.Client": BusInterfaceFiles.client, "org.chappie.Threads": BusInterfaceFiles.threads,
    "org.freedesktop.DBus.ObjectManager": BusInterfaceFiles.objectManager,
  ]

  @Test func theObjectsMatchTheirXMLFiles() async throws {
    let (_, caller) = try await World.signedIn()
    let work = try await caller.signIn(account: "work")
    let objects: [ObjectPath: Set<String>] = [
      .chappie: Set(Self.interfaces.keys), work: ["org.chappie.Session"],
      .chappie.appending("account").appending("work"): [
        "org.chappie.Session", "org.chappie.Client", "org.chappie.Threads",
      ],
      try await caller.open("Client"): ["org.chappie.Client", "org.chappie.Threads"],
    ]
    for (path, expected) in objects {
      let reply = try await caller.connection.call(
        "org.chappie", path, "org.freedesktop.DBus.Introspectable", "Introspect")
      let live = try Introspection.interfaces(reply.member(0, "xml")).filter { !Self.isStandard($0.key) }
      #expect(Set(live.keys) == expected)
      for (name, members) in live {
        let file = try #require(Self.interfaces[name])
        #expect(try members == Introspection.interfaces(file)[name], "\(name) at \(path)")
      }
    }
    // Every property can be read, and has the type in the XML file.
    for (name, file) in Self.interfaces where name.hasPrefix("org.chappie.") {
      let declared = try #require(try Introspection.interfaces(file)[name])
      let reply = try await caller.connection.call(
        "org.chappie", .chappie, "org.freedesktop.DBus.Properties", "GetAll", .tuple(name))
      let values = try reply.member(0, "values", as: VariantDictionary.self)
      #expect(try values.value("Version", as: UInt32.self) == 1, "\(name)")
      let live = Set(values.keys.map { "property \($0): \(values[$0]?.type ?? "")" })
      #expect(live == Set(declared.compactMap { Introspection.property($0) }))
    }
  }

  // MARK: The manual

  /// The pages of the interfaces are made from the files: no member or argument is lost on the way.
  @Test func theManualNamesEveryMember() async throws {
    let world = try await World.begin(World.Plan(service: .none))
    let directory = world.directories.home.appending(path: "man")
    let made = try await world.run(SourceTree.path(of: "doc/interfaces.py"), "mdoc", directory.path)
    #expect(made.status == 0, "\(made.text)")
    for (interface, file) in Self.interfaces where interface.hasPrefix("org.chappie.") {
      let manual = try String(contentsOf: directory.appending(path: "\(interface).7"), encoding: .utf8)
      let declared = try #require(try Introspection.interfaces(file)[interface])
      try #require(declared.count > 3)
      for member in declared {
        let name = Introspection.name(member)
        #expect(manual.contains(word: name), "\(interface).\(name)")
      }
      for argument in file.matches(of: #/\n +@(\w+): /#) where argument.1 != "short_description" {
        #expect(manual.contains(word: String(argument.1)), "\(interface): \(argument.1)")
      }
    }
  }

  @Test func theManualNamesEveryError() throws {
    // roff writes a hyphen as `\-`.
    let manual = try SourceTree.text(of: "data/man/org.chappie.7").replacing("\\-", with: "-")
    for name in ErrorName.allCases.map(\.rawValue) { #expect(manual.contains(word: name), "\(name)") }
  }

  /// The XML files name the errors of each call, by names that exist.
  @Test func theXMLFilesNameOnlyExistingErrors() throws {
    let known = Set(ErrorName.allCases.map(\.rawValue))
    for (interface, file) in Self.interfaces {
      for list in file.matches(of: /Errors: ([A-Z][A-Za-z, \n]*)\./) {
        let names = list.1.split(whereSeparator: { !$0.isLetter }).filter { $0.first?.isUppercase == true }
        for name in names { #expect(known.contains(String(name)), "\(interface): \(name)") }
      }
    }
  }

  /// The command and the service name only members and keys that the XML files have.
  @Test func theProgramsUseOnlyDocumentedNames() throws {
    let known = Self.interfaces.values.joined() + " LoadState ActiveState"  // of systemd
    let patterns = [
      /"(?:Manager|Session|Client|Threads)",\s+"(\w+)"/, /\bcall\("(\w+)"/,
      /\.(?:value|time|count|name)\(\s*"(\w+)"/,
      /(?:options|filter|configuration|dictionary|values|details)\.set\(\s*"(\w+)"/,
    ]
    let service = try Self.sources(["Client", "Objects", "Turns", "Values"].map { "ChappieService/\($0)" })
    let sources = service + (try Self.sources(["chappie"]))
    for (number, pattern) in patterns.enumerated() { check(sources, pattern, "pattern \(number + 1)", known) }
    // In the command, such a literal is its own JSON, too.
    check(service, /[\[,]\s*"([a-z_]+)": (?!{)/, "literals", known)
  }

  private func check(_ sources: String, _ pattern: Regex<(Substring, Substring)>, _ what: String, _ known: String) {
    let names = sources.matches(of: pattern).map { String($0.1) }
    #expect(!names.isEmpty, "\(what)")
    for name in names { #expect(known.contains(word: name), "\(name)") }
  }

  private static func sources(_ folders: [String]) throws -> String {
    let paths = try folders.flatMap { try SourceTree.files(in: "Sources/\($0)") }
    return try paths.map { try SourceTree.text(of: $0) }.joined(separator: "\n")
  }

  private static func isStandard(_ interface: String) -> Bool {
    ["Properties", "Introspectable", "Peer"].contains { interface == "org.freedesktop.DBus.\($0)" }
  }
}

extension String {
  fileprivate func contains(word: String) -> Bool {
    ranges(of: word).contains { range in
      let before = range.lowerBound == startIndex ? nil : self[index(before: range.lowerBound)]
      let after = range.upperBound == endIndex ? nil : self[range.upperBound]
      return before?.isLetter != true && after?.isLetter != true
    }
  }
}
