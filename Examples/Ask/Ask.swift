import ChappieSDK
import Foundation

/// Signs in if necessary, asks, and prints the answer as it arrives.
func ask(_ question: String, _ configuration: ChappieConfiguration) async throws {
  let session = Chappie.authSession(configuration: configuration)
  if await session.restored() != .signedIn {
    let code = try await session.startDeviceCodeSignIn()
    print("Enter \(code.userCode) at \(code.verificationURI)")
    fflush(nil)
    for await change in session.updates where !change.deviceLinkState.isRunning {
      guard change.deviceLinkState == .linked else { throw change.lastError ?? .cancelled }
      break
    }
  }
  for try await event in Chappie.client(configuration: configuration).stream(question) {
    if case .textDelta(let text) = event { print(text, terminator: "") }
    fflush(nil)
  }
}
