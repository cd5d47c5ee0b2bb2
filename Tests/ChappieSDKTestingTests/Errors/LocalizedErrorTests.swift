import ChappieSDK
import ChappieSDKRuntime
import ChappieSDKTesting
import Foundation
import Testing

/// What an app shows of an error: `localizedDescription` is the sentence, in all libraries.
struct LocalizedErrorTests {
  private static let errors: [any Error & CustomStringConvertible] = [
    ChappieAuthError.declined, ChappieAuthError.tokenExchangeFailed(status: 400, message: "no"),
    ChappieClientError.missingCredential, ChappieClientError.signInServer(.network("no route")),
    ChappieThreadStoreError.noSuchThread("a"), ChappieThreadStoreError.full("The disk is full."),
    ChappieRuntimeError.notStored(.answer, .full("The disk is full.")),
  ]

  @Test(arguments: errors.indices)
  func saysWhatItIs(_ index: Int) {
    let error = Self.errors[index]
    #expect((error as any Error).localizedDescription == error.description)
    #expect(error is any LocalizedError)
  }

  @Test func aScenarioThatCannotBeReadSaysWhy() async throws {
    let backend = try await StandInBackend()
    let error = await #expect(throws: StandInScenarioError.self) { try await backend.play("{}") }
    #expect((error as (any Error)?)?.localizedDescription == "a scenario is a JSON list of rules")
    await backend.stop()
  }
}

extension ChappieResponse {
  fileprivate static let answer = ChappieResponse(
    outputText: "Hi", responseID: "r", model: "m", usage: ChappieTokenUsage())
}
