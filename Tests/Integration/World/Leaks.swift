// SPDX-License-Identifier: Apache-2.0

/// Searches for tokens in places that must hold none.
enum Leaks {
  /// A part of every secret that the stand-in issues.
  static let marker = "SANDBOXSECRET"

  /// The marks of a token: the text above, the start of the stand-in's JSON web tokens, and both in base64.
  private static let needles: [(name: String, bytes: Data)] = {
    let header = #"{"alg":"RS256","typ":"JWT","kid":"sandbox"}"#
    let plain = [("the marker", marker), ("the head of a token", base64(header, droppingFirst: 0))]
    let encoded = (0..<3).map { ("the marker in base64", base64(marker, droppingFirst: $0)) }
    return (plain + encoded).map { ($0.0, Data($0.1.utf8)) }
  }()

  /// The tokens found, as `place: mark`.
  static func findings(in places: [String: Data]) -> [String] {
    places.flatMap { place, data in
      needles.filter { data.contains($0.bytes) }.map { "\(place): \($0.name)" }
    }.sorted()
  }

  /// The base64 characters that encode only `text`, if it starts `offset` bytes into a group of three.
  private static func base64(_ text: String, droppingFirst offset: Int) -> String {
    let padded = Data(repeating: 0, count: offset) + Data(text.utf8)
    let whole = padded.prefix(padded.count / 3 * 3).base64EncodedString()
    return String(whole.dropFirst(offset == 0 ? 0 : 4))
  }
}

extension World {
  /// Runs `body` in a world with a program on the bus, records the bus meanwhile, and expects no token anywhere then.
  static func withoutLeaks(
    _ plan: Plan, _ body: @GLibActor (World, Caller) async throws -> Void
  ) async throws {
    let world = try await begin(plan)
    let capture = try await BusCapture(world.directories)
    try await body(world, world.caller())
    try await capture.end()
    #expect(try world.leaks() == [])
  }

  /// The tokens in its files and logs, with the bus capture among them, and in everything that other programs can read
  /// of its processes.
  func leaks() throws -> [String] {
    var places = try directories.files()
    for process in try FileManager.default.contentsOfDirectory(atPath: "/proc") where Int(process) != nil {
      let environment = FileManager.default.contents(atPath: "/proc/\(process)/environ") ?? Data()
      guard environment.contains(directories.root.path) else { continue }
      places["process \(process)/environ"] = environment
      places["process \(process)/cmdline"] = FileManager.default.contents(atPath: "/proc/\(process)/cmdline")
    }
    return Leaks.findings(in: places)
  }
}
