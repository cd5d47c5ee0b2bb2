import ChappieSDK
import ChappieSDKTesting
import Foundation

/// The configuration of these programs: they are one application, and each account has a sign-in of its own.
///
/// STAND_IN is the address of a chappie-sandbox. With it, the programs run without an account of OpenAI.
public func exampleConfiguration(account: String = "personal") throws -> ChappieConfiguration {
  let server = ProcessInfo.processInfo.environment["STAND_IN"]
  // A sign-in at the stand-in must not replace one with OpenAI.
  let configuration = ChappieConfiguration(
    keychainService: server == nil ? "org.example.Swift" : "org.example.Swift.StandIn", keychainAccount: account,
    applicationID: try ChappieApplicationID("org.example.Swift"), applicationName: "Swift examples")
  guard let server else { return configuration }
  return try configuration.servedBy(issuer: server, baseURL: server + "/backend-api")
}

/// Runs a program. An error ends it with status 1 and its sentence.
public func run(_ program: @Sendable () async throws -> Void) async {
  do {
    try await program()
  } catch {
    FileHandle.standardError.write(Data("\(error.localizedDescription)\n".utf8))
    exit(1)
  }
}

/// Prints at once, into a pipe too. `fflush(nil)` would wait for the user's next line: it flushes standard input as well.
public func say(_ text: String = "", terminator: String = "\n") {
  FileHandle.standardOutput.write(Data((text + terminator).utf8))
}

/// Prints an answer while it arrives.
public func show(_ events: AsyncThrowingStream<ChappieStreamEvent, any Error>) async throws {
  for try await event in events {
    if case .textDelta(let text) = event { say(text, terminator: "") }
  }
  try Task.checkCancellation()
  say()
}

/// The next line that the user types. It blocks a thread of its own, and none of Swift's. Nil at the end of the input.
public func nextLine() async -> String? {
  await withCheckedContinuation { continuation in
    Thread.detachNewThread { continuation.resume(returning: readLine()) }
  }
}
