// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import GLibBridge
import HTTPTestServer

/// A fictitious user with a ChatGPT account.
public struct StandInUser: Sendable, Equatable {
  /// The email address, which identifies the user.
  public var email: String
  /// The claim `chatgpt_account_id`; if it is empty, the tokens do not have the claim.
  public var accountID: String
  /// The claim `chatgpt_user_id`.
  public var userID: String
  /// The claim `chatgpt_plan_type`, such as `plus`.
  public var plan: String

  /// Makes a user. An id that is nil is derived from the address, so it is the same in every run.
  public init(email: String, accountID: String? = nil, userID: String? = nil, plan: String = "plus") {
    let name = email.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? String($0) : "-" }.joined().lowercased()
    self.email = email
    self.accountID = accountID ?? "account-\(name)"
    self.userID = userID ?? "user-\(name)"
    self.plan = plan
  }
}

/// The configuration of a ``StandInBackend``.
public struct StandInConfiguration: Sendable {
  /// The answer to a refresh before the time in `earliest_refresh_at`. Reports about the live server disagree.
  public enum EarlyRefresh: String, CaseIterable, Sendable {
    /// It is refused, and the refresh token is used up.
    case spends
    /// It is refused, and the refresh token stays valid.
    case refused
    /// It is carried out.
    case accepted
  }

  /// The port on 127.0.0.1; 0 for any free port.
  public var port: UInt16 = 0
  /// The address for clients if the server is behind a proxy with TLS, such as `https://sign-in.example`; nil takes the
  /// address from each request.
  public var publicURL: String?
  /// The user of an approval that names no user.
  public var user = StandInUser(email: "ada@example.com")
  /// The client id that may sign in.
  public var clientID = "app_EMoamEEZ73f0CkXaXp7hrann"
  /// Whether each sign-in is approved at once.
  public var approvesAtOnce = false
  /// The poll interval that the server tells clients, in seconds: short, so that a test need not wait. That of the live
  /// servers is 5. Chappie takes 0.05 to 60.
  public var pollInterval = 0.05
  /// The lifetime of a user code.
  public var userCodeLifetime = Duration.seconds(900)
  /// The lifetime of an access token of a sign-in with a code, in whole seconds.
  public var accessTokenLifetime = Duration.seconds(864_000)
  /// The lifetime of an access token of a sign-in in the browser, in whole seconds.
  public var browserTokenLifetime = Duration.seconds(3600)
  /// The lifetime of a refresh token of a sign-in in the browser, in whole seconds. Each refresh begins it anew.
  public var browserRefreshLifetime = Duration.seconds(2_592_000)
  /// The answer to an early refresh of a sign-in in the browser.
  public var earlyRefresh = EarlyRefresh.spends
  /// Whether a refresh token of a sign-in with a code stays valid until its successor is used.
  public var refreshGrace = false
  /// The words of an answer per second; 0 for no limit.
  public var wordsPerSecond = 30.0
  /// The context window of all models, in tokens; nil keeps the window of each model.
  public var contextWindow: Int?
  /// Whether WebSockets are accepted. If not, handshakes fail with status 426.
  public var allowsWebSocket = true
  /// The time after which a WebSocket accepts no more requests.
  public var socketLifetime = Duration.seconds(3600)
  /// Whether request bodies may be compressed with zstd.
  public var allowsCompression = true
  /// Called with a line for each request. A line never holds a token.
  public var log: (@GLibActor @Sendable (String) -> Void)?

  /// Makes the default configuration: the behaviour of the live servers, with one user and a shorter poll
  /// interval.
  public init() {}

  /// The user with an email address. Nil, an empty address and that of the configured user give the configured user.
  func user(_ email: String?) -> StandInUser {
    guard let email, !email.isEmpty, email != user.email else { return user }
    return StandInUser(email: email)
  }
}

extension StandInConfiguration {
  /// The addresses under which a client may have reached the stand-in, such as `https://sign-in.example`, the most
  /// likely first. A proxy may add TLS in front of it: they are two if its use is unknown.
  func addresses(of request: HTTPServerRequest) -> [String] {
    if let publicURL { return [publicURL] }
    let headers = request.headers
    let forwarded = Self.forwarded(headers["forwarded"] ?? "")
    let host =
      forwarded["host"] ?? Self.first(headers["x-forwarded-host"]) ?? Self.first(headers["host"]) ?? "127.0.0.1"
    // A proxy that forwards only bytes adds no field about TLS.
    let schemes = (forwarded["proto"] ?? Self.first(headers["x-forwarded-proto"])).map { [$0] } ?? ["http", "https"]
    return schemes.map { $0.lowercased() + "://" + host }
  }

  /// The parameters of the outermost proxy in a `Forwarded` field (RFC 7239), by lower-case name.
  private static func forwarded(_ field: String) -> [String: String] {
    var values: [String: String] = [:]
    for pair in field.prefix(while: { $0 != "," }).split(separator: ";") {
      let parts = pair.split(separator: "=", maxSplits: 1).map { $0.filter { $0 != " " && $0 != "\"" } }
      if parts.count == 2 { values[parts[0].lowercased()] = parts[1] }
    }
    return values
  }

  /// The first value of a list with commas, which comes from the client's side.
  private static func first(_ field: String?) -> String? {
    let value = field?.prefix { $0 != "," }.filter { $0 != " " }
    return value?.isEmpty == false ? value : nil
  }
}

/// The clock of the stand-in's servers, in whole Unix seconds.
@GLibActor
final class StandInClock {
  /// The seconds that it is ahead of this machine's clock; negative when it is behind.
  var ahead = 0

  var now: Int { Int(Date().timeIntervalSince1970) + ahead }

  /// Gives an answer the time of this clock, unless a rule gives it another.
  func date(_ answer: HTTPServerAnswer) -> HTTPServerAnswer {
    guard ahead != 0, case .whole(var response) = answer, let text = HTTPDate.text(Int64(now)) else { return answer }
    response.headers.insert(("date", text), at: 0)
    return .whole(response)
  }
}
