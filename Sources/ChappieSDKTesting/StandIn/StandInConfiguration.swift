import GLibBridge

/// A person with a ChatGPT account, as the stand-in makes them up.
public struct StandInUser: Sendable, Equatable {
  /// The mail address, which tells one user from another.
  public var email: String
  /// `chatgpt_account_id`; where it is empty, the tokens name no account.
  public var accountID: String
  /// `chatgpt_user_id`.
  public var userID: String
  /// `chatgpt_plan_type`.
  public var plan: String

  /// A user whose ids follow from the address, so that the same person is the same account in every run.
  public init(email: String, accountID: String? = nil, userID: String? = nil, plan: String = "plus") {
    let name = email.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? String($0) : "-" }.joined().lowercased()
    self.email = email
    self.accountID = accountID ?? "account-\(name)"
    self.userID = userID ?? "user-\(name)"
    self.plan = plan
  }
}

/// How a ``StandInBackend`` behaves.
public struct StandInConfiguration: Sendable {
  /// The port on 127.0.0.1; 0 leaves the choice to the kernel.
  public var port: UInt16 = 0
  /// The address under which clients reach it, such as `https://sign-in.example`, where a proxy with TLS is in front of
  /// it; nil takes the address from each request.
  public var publicURL: String?
  /// Who approves when an approval names nobody.
  public var user = StandInUser(email: "ada@example.com")
  /// The client id that may sign in.
  public var clientID = "app_EMoamEEZ73f0CkXaXp7hrann"
  /// Approves each user code as soon as it is handed out.
  public var approvesAtOnce = false
  /// The seconds between polls that are handed out with a user code.
  public var pollInterval = 5
  /// How long a user code waits for its person.
  public var userCodeLifetime = Duration.seconds(900)
  /// How long an access token is valid, in whole seconds.
  public var accessTokenLifetime = Duration.seconds(864_000)
  /// A refresh token stays valid until the one that replaced it has been used.
  public var refreshGrace = false
  /// Words of an answer per second; 0 is as fast as the client reads.
  public var wordsPerSecond = 30.0
  /// The context window of all models in tokens; nil leaves each its own.
  public var contextWindow: Int?
  /// Answers over WebSocket as well; without it handshakes are answered with status 426.
  public var allowsWebSocket = true
  /// How long a WebSocket may be used.
  public var socketLifetime = Duration.seconds(3600)
  /// Takes request bodies that are compressed with zstd.
  public var allowsCompression = true
  /// Called with a line for each request, which never holds a token.
  public var log: (@GLibActor @Sendable (String) -> Void)?

  /// The usual behaviour: that of the live servers, with one user.
  public init() {}
}
