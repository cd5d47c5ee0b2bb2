// SPDX-License-Identifier: Apache-2.0
import ChappieSDKTesting
import FoundationEssentials
import GLibBridge
import Glibc
import Platform

/// Serves until a signal ends the process, and returns the exit status.
@GLibActor
func serve(_ options: Options) async -> Int32 {
  do {
    let backend = try StandInBackend(options.configuration)
    if let scenario = options.scenario { try backend.play(scenario) }
    StandardStream.output.write(
      """
      issuer \(backend.issuer)
      backend \(backend.baseURL)
      page \(backend.devicePage)

      """ + (options.configuration.publicURL.map { _ in "local \(backend.localAddress)\n" } ?? ""))
    _ = await UnixSignals.first(of: [SIGTERM, SIGINT])
    await backend.stop()
    return 0
  } catch {
    return fail(error, status: 1)
  }
}

/// Writes the error to standard error, and returns `status`.
func fail(_ error: any Error, status: Int32) -> Int32 {
  StandardStream.error.write("chappie-sandbox: \((error as? GLibError)?.message ?? "\(error)")\n")
  return status
}

do {
  if let options = try Options(CommandLine.arguments) { exit(MainLoop.run { await serve(options) }) }
} catch {
  exit(fail(error, status: 2))
}

/// The options of `chappie-sandbox`.
struct Options: Sendable {
  var configuration = StandInConfiguration()
  /// The scenario to start with, as JSON text; nil for none.
  var scenario: String?

  /// Reads the command line.
  ///
  /// - Returns: nil for `--help`, whose text is written.
  /// - Throws: an error with a description for the user.
  init?(_ commandLine: [String]) throws {
    let parser = CommandLineParser(
      summary: "A stand-in for ChatGPT's sign-ins, the Codex backend and the Responses API, on 127.0.0.1.\n"
        + "Nothing here is real: no account, no model, no network.",
      details: "It prints the addresses of the issuer, of the backend and of the page that approves a\n"
        + "sign-in, and serves until a signal ends it. The file chappie-sandbox.md describes scenarios\n"
        + "and control requests; see chappie-sandbox(1).")
    let port = parser.integer("port", short: "p", in: 0...65535, placeholder: "N", "Listen on this port (any free one)")
    let address = parser.option(
      "public-url", placeholder: "URL", "Public address behind a proxy (from each request)", read: Self.origin)
    let approve = parser.flag("auto-approve", short: "a", "Approve each sign-in at once")
    let rate = parser.option(
      "rate", short: "r", placeholder: "WORDS", "Words per second of an answer; 0: no limit (30)", read: Self.pace)
    let scenario = parser.string("scenario", short: "s", placeholder: "FILE", "Start with the rules in this JSON file")
    let lifetime = parser.integer(
      "access-token-lifetime", in: 1...315_360_000, placeholder: "SECONDS", "Lifetime of access tokens (864000)")
    let interval = parser.integer(
      "interval", in: 0...3600, placeholder: "SECONDS", "Poll interval for clients (5)")
    let user = parser.string("user", short: "u", placeholder: "EMAIL", "Default user (ada@example.com)")
    let plan = parser.string("plan", placeholder: "PLAN", "Plan of the default user (plus)")
    // It may be empty.
    let account = parser.option("account-id", placeholder: "ID", "Account id of the default user (from EMAIL)") { $0 }
    let client = parser.string("client-id", placeholder: "ID", "The client id that may sign in (that of Codex)")
    let grace = parser.flag("refresh-grace", "Keep a refresh token valid until its successor is used")
    let window = parser.integer(
      "context-window", in: 1...100_000_000, placeholder: "TOKENS", "Context window of all models (as listed)")
    let noWebSocket = parser.flag("no-websocket", "Answer every WebSocket handshake with status 426")
    let noCompression = parser.flag("no-compression", "Answer compressed request bodies with status 415")
    let verbose = parser.flag("verbose", short: "v", "Log each request to standard error")
    let given: CommandLineArguments
    switch try parser.parse(commandLine) {
    case .help(let text):
      StandardStream.output.write(text)
      return nil
    case .arguments(let arguments): given = arguments
    }

    self.scenario = try given[scenario].map(Self.contents)
    configuration.port = UInt16(clamping: given[port] ?? 0)
    configuration.publicURL = given[address]
    configuration.approvesAtOnce = given[approve]
    configuration.wordsPerSecond = given[rate] ?? configuration.wordsPerSecond
    configuration.accessTokenLifetime = .seconds(given[lifetime] ?? 864_000)
    configuration.browserTokenLifetime = .seconds(given[lifetime] ?? 3600)
    configuration.pollInterval = Double(given[interval] ?? 5)
    configuration.user = StandInUser(
      email: given[user] ?? configuration.user.email, accountID: given[account], plan: given[plan] ?? "plus")
    configuration.clientID = given[client] ?? configuration.clientID
    configuration.refreshGrace = given[grace]
    configuration.contextWindow = given[window]
    configuration.allowsWebSocket = !given[noWebSocket]
    configuration.allowsCompression = !given[noCompression]
    if given[verbose] { configuration.log = { StandardStream.error.write($0 + "\n") } }
  }

  private static func pace(_ text: String) throws -> Double {
    guard let rate = Double(text), rate >= 0, rate.isFinite else {
      throw CommandLineError("“\(text)” is not a number from 0 on")
    }
    return rate
  }

  private static func origin(_ text: String) throws -> String {
    let address = text.hasSuffix("/") ? String(text.dropLast()) : text
    guard let url = URL(string: address), ["http", "https"].contains(url.scheme), url.host()?.isEmpty == false,
      url.path().isEmpty, url.query() == nil
    else { throw CommandLineError("“\(text)” is not an address such as https://sign-in.example") }
    return address
  }

  private static func contents(of path: String) throws -> String {
    do {
      return String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
    } catch {
      throw CommandLineError("cannot read \(path)")
    }
  }
}
