// SPDX-License-Identifier: Apache-2.0

/// A person with a browser, who signs in on the stand-in's page.
@GLibActor
struct BrowserUser {
  /// What the browser shows after the person's decision.
  struct Page: Sendable {
    let status: Int
    let text: String
  }

  private static let http = HTTPSession()

  let world: World

  // MARK: Signing in

  /// Starts a sign-in whose page nobody opens, and returns the page's address.
  func start(
    _ caller: Caller, _ options: VariantDictionary = [:], at path: ObjectPath = .chappie
  ) async throws -> String {
    var all = options
    all.set("open", false)
    return try await caller.call("Session.StartBrowserSignIn", all, at: path).member(0, "authorization_uri")
  }

  /// Signs in, and waits until it has succeeded.
  @discardableResult
  func signIn(
    _ caller: Caller, _ options: VariantDictionary = [:], deciding decision: [String: String] = [:],
    at path: ObjectPath = .chappie
  ) async throws -> Page {
    let page = try await finish(try await start(caller, options, at: path), deciding: decision)
    try await caller.waitFor("linked", "Session.DeviceLinkState", at: path)
    return page
  }

  /// Decides on the page, and follows the browser back.
  @discardableResult
  func finish(_ address: String, deciding decision: [String: String] = [:]) async throws -> Page {
    try await visit(try await decide(address, decision))
  }

  /// Decides on the page, and returns the address to which the browser would go.
  func decide(_ address: String, _ decision: [String: String] = [:]) async throws -> String {
    let form = decision.merging(["address": address]) { $1 }.map { "\($0)=\(Self.escaped($1))" }
    let answer = try await world.sandbox.request(
      .post, "\(world.sandbox.issuer)/sandbox/authorize", form.joined(separator: "&"))
    struct Answer: Decodable { let location: String }
    return try JSONDecoder().decode(Answer.self, from: answer).location
  }

  /// Opens an address of the listener, and goes on to where it leads.
  func visit(_ address: String) async throws -> Page {
    let answer = try await Self.http.send(HTTPRequest(.get, address), deadline: patience)
    if let path = answer.headers["location"], let place = URL(string: path, relativeTo: URL(string: address)) {
      return try await visit(place.absoluteString)
    }
    let body = try await answer.bytes(limit: 1 << 20, deadline: patience)
    return Page(status: answer.status, text: String(decoding: body, as: UTF8.self))
  }

  private static func escaped(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
  }
}

extension World {
  var user: BrowserUser { BrowserUser(world: self) }

  /// A program on the bus whose default account has signed in in the browser.
  func callerSignedInInBrowser() async throws -> Caller {
    let caller = try await caller()
    try await user.signIn(caller)
    return caller
  }
}

extension World.Plan {
  /// The user decides on the page of each sign-in.
  static func browser(_ arguments: [String] = []) -> World.Plan {
    World.Plan(sandboxArguments: ["--rate", "0"] + arguments)
  }
}

/// A part of the query of an address.
func query(_ name: String, of address: String) -> String? {
  URLComponents(string: address)?.queryItems?.first { $0.name == name }?.value
}
