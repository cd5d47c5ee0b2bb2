import ChappieSDK
import Glibc

/// A program with the library in its own process, beside the service.
///
///   library-host ISSUER BACKEND send TEXT        prints the answer
///   library-host ISSUER BACKEND sign-in RULE     signs in, where nobody has to approve it, under a keychain rule
@main
enum LibraryHost {
  static func main() async {
    do {
      try await run(Array(CommandLine.arguments.dropFirst()))
    } catch {
      print(error)
      exit(1)
    }
  }

  private static func run(_ arguments: [String]) async throws {
    guard arguments.count == 4 else { throw ChappieClientError.invalidArgument("four arguments, please") }
    var configuration = ChappieConfiguration()
    configuration.backend = try ChappieBackend(issuer: arguments[0], baseURL: arguments[1])
    switch arguments[2] {
    case "sign-in":
      configuration.keychainAccessibility =
        ChappieKeychainAccessibility(rawValue: arguments[3]) ?? .whenUnlockedThisDeviceOnly
      try await signIn(Chappie.authSession(configuration: configuration))
    default:
      print(try await Chappie.client(configuration: configuration).send(arguments[3]))
    }
  }

  private static func signIn(_ session: ChappieAuthSession) async throws {
    try await session.startDeviceCodeSignIn()
    for await snapshot in session.updates where !snapshot.deviceLinkState.isRunning {
      guard snapshot.deviceLinkState == .linked else { throw snapshot.lastError ?? .cancelled }
      return
    }
  }
}
