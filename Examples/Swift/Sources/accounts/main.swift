// Several accounts of one program:
//   example-accounts                 lists them
//   example-accounts NAME            asks with the account
//   example-accounts NAME code       signs in with a code, which the user types on any device
//   example-accounts NAME browser    signs in in the browser of this machine
//   example-accounts NAME paste      signs in in the browser of another machine, from which the user copies an address
//   example-accounts NAME sign-out   signs out
import ChappieSDK
import ExampleSupport
import Foundation

await run {
  let arguments = CommandLine.arguments.dropFirst()
  guard let name = arguments.first else { return try await list() }
  let configuration = try exampleConfiguration(account: name)
  let session = Chappie.authSession(configuration: configuration)
  switch arguments.dropFirst().first {
  case "code":
    let code = try await session.startDeviceCodeSignIn()
    say("Enter \(code.userCode) at \(code.verificationURI)")
    try await finish(session)
  case "browser":
    let page = try await session.startBrowserSignIn()
    say("If no window opens, go to \(page.authorizationURI)")
    try await finish(session)
  case "paste":
    let page = try await session.startBrowserSignIn(opensBrowser: false)
    say("Go to \(page.authorizationURI) and paste the address at which the browser arrives:")
    guard let address = await nextLine() else { return session.cancelSignIn() }
    try await session.completeBrowserSignIn(address)
    try await finish(session)
  case "sign-out":
    try await session.signOutAndWait()
  case nil:
    try await show(Chappie.client(configuration: configuration).stream("Who am I?"))
  case let word?:
    say("There is no '\(word)': say code, browser, paste or sign-out.")
  }
}

/// Waits for the end of a sign-in.
func finish(_ session: ChappieAuthSession) async throws {
  for await change in session.updates where !change.deviceLinkState.isRunning {
    guard change.deviceLinkState == .linked else { throw change.lastError ?? .cancelled }
    return say(ChappieSignIn(authSession: session).step.title)
  }
}

func list() async throws {
  let shared = try exampleConfiguration()
  for name in try await Chappie.accounts(ofService: shared.keychainService, applicationID: shared.applicationID) {
    let session = Chappie.authSession(configuration: try exampleConfiguration(account: name))
    await session.restored()
    let step = ChappieSignIn(authSession: session).step
    say("\(name): \(step.title). \(step.planLine ?? "")")
  }
}
