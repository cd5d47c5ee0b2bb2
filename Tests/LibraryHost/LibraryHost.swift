// SPDX-License-Identifier: Apache-2.0
import CGLib
import ChappieSDK
import ChappieSDKRuntime
import GLibBridge
import Glibc
import SecretMemory

/// A program with the library in its own process, beside the service. It uses the desktop user's slots and stores, as
/// the service does. A fifth argument names another application; `-` is the program's own, and `+ID` its own after it
/// has made a `GApplication` with that id. A sixth argument names the account.
///
///   library-host ISSUER BACKEND send TEXT        prints the answer
///   library-host ISSUER BACKEND sign-in RULE     signs in without approval, with a keychain accessibility
///   library-host ISSUER BACKEND thread-key RULE  asks for the key of its threads until it is ended; prints a
///                                                fingerprint, or the error, each time that it changes
///   library-host ISSUER BACKEND remember TEXT    continues the newest stored thread, and prints the answer
///   library-host ISSUER BACKEND destroy RULE     destroys that key
///   library-host ISSUER BACKEND delete-all RULE  deletes all stored threads with their key
///   library-host ISSUER BACKEND state X          prints the initial state of a new session, and nothing else
///   library-host ISSUER BACKEND restored X       prints the state once the keyring has been read
///   library-host ISSUER BACKEND watch X          prints the state and each later one until it is ended
///   library-host ISSUER BACKEND sign-out X       signs out, prints the state and the error, and ends at once
///   library-host ISSUER BACKEND accounts X       prints the stored accounts
///   library-host ISSUER BACKEND list X           prints the titles of the stored threads
///   library-host ISSUER BACKEND titles TEXT      creates a thread with this title, reads no more, and prints whether
///                                                the title is in memory, each time that this changes
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
    guard (4...6).contains(arguments.count) else { throw ChappieClientError.invalidArgument("four arguments, please") }
    var configuration = ChappieConfiguration(keychainAccount: arguments.count > 5 ? arguments[5] : "default")
    switch arguments.dropFirst(4).first {
    case nil, "": configuration.applicationID = .desktopUser
    case "-": break
    case let id? where id.hasPrefix("+"):
      g_application_set_default(g_application_new(String(id.dropFirst()), GApplicationFlags(rawValue: 0)))
    case let id?: configuration.applicationID = try ChappieApplicationID(id)
    }
    configuration.backend = try ChappieBackend(issuer: arguments[0], baseURL: arguments[1])
    let rule = ChappieKeychainAccessibility(rawValue: arguments[3]) ?? .whenUnlockedThisDeviceOnly
    switch arguments[2] {
    case "thread-key":
      let source = KeyringThreadKey(configuration, accessibility: rule)
      await watch { await key(source) }
    case "remember":
      let store = ChappieFileThreadStore(configuration: configuration)
      let runtime = Chappie.client(configuration: configuration).runtime(store: store)
      if let newest = try await runtime.listThreads(limit: 1).first { try await runtime.resume(thread: newest.id) }
      print(try await runtime.send(arguments[3]))
    case "destroy":
      try await KeyringThreadKey(configuration, accessibility: rule).destroy()
      print("destroyed")
    case "delete-all":
      try await ChappieFileThreadStore(configuration: configuration).deleteAll()
      print("deleted")
    case "titles":
      let store = ChappieFileThreadStore(configuration: configuration)
      _ = try await store.create(titled: arguments[3])
      await watch { store.hasThreadsInMemory ? "in memory" : "in no memory" }
    case "list":
      let store = ChappieFileThreadStore(configuration: configuration)
      for thread in try await store.threads(ChappieThreadQuery(.all)) { print(thread.title) }
    case "accounts":
      for account in try await Chappie.accounts(applicationID: configuration.applicationID) { print(account) }
    case "state":
      print(Chappie.authSession(configuration: configuration).state.rawValue)
    case "restored":
      print(await Chappie.authSession(configuration: configuration).restored().rawValue)
    case "watch":
      let session = Chappie.authSession(configuration: configuration)
      for await snapshot in session.updates {
        print(snapshot.state.rawValue, snapshot.accountInfo?.email ?? "-")
        fflush(nil)
      }
      withExtendedLifetime(session) {}
    case "sign-out":
      let session = Chappie.authSession(configuration: configuration)
      if arguments[3] == "blocking" { session.signOut() } else { try? await session.signOutAndWait() }
      print(session.state.rawValue, session.lastError.map { "\($0)" } ?? "")
      fflush(nil)
      _exit(0)
    case "sign-in":
      configuration.keychainAccessibility = rule
      try await signIn(Chappie.authSession(configuration: configuration))
    default:
      print(try await Chappie.client(configuration: configuration).send(arguments[3]))
    }
  }

  private static func key(_ source: KeyringThreadKey) async -> String {
    do {
      let print = KeyDerivation.fingerprint(of: try await source.key(interaction: .forbidden))
      return "key " + print.map { String($0) }.joined(separator: ".")
    } catch {
      return "\(error)"
    }
  }

  /// Prints the result of `look` each time that it changes.
  private static func watch(_ look: () async -> String) async {
    var last = ""
    while true {
      let now = await look()
      if now != last {
        print(now)
        fflush(nil)
      }
      last = now
      try? await Task.sleep(for: .milliseconds(20))
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
