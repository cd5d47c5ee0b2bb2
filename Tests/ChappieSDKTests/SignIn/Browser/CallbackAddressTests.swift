// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import SecretMemory
import TestSupport
import Testing

@testable import ChappieSDK

/// Addresses that a user copied from the browser of another machine.
@GLibActor
struct CallbackAddressTests {
  nonisolated private static let right = "?code=abc&state=the-state"
  nonisolated private static let base = "http://127.0.0.1:PORT/auth/callback"

  private static func listener() throws -> CallbackListener {
    try CallbackListener(state: SecretBytes("the-state".utf8), issuer: "https://issuer.example")
  }

  @Test(arguments: ["", " ", "\n", "\r\n"], ["", "#", "#fragment"])
  func takesTheWholeAddress(_ space: String, _ fragment: String) async throws {
    let listener = try Self.listener()
    try listener.take(pasted: "\(space)\(listener.redirectURI)\(Self.right)\(fragment)\(space)")
    #expect(try await listener.callback().code == "abc")
    listener.finish(.signedIn)
    let refused = try Self.listener()
    try refused.take(pasted: "\(space)\(refused.redirectURI)?error=access_denied&state=the-state\(fragment)")
    #expect(try await refused.callback().error == "access_denied")
    refused.finish(.declined)
  }

  /// Each error tells what is wrong, and the attempt goes on.
  @Test(arguments: [
    ("abc", "copy the whole address"), ("", "copy the whole address"), ("code=abc&state=the-state", "copy the whole"),
    ("https://127.0.0.1:PORT/auth/callback\(right)", "begins with http://"),
    ("HTTP://127.0.0.1:PORT/auth/callback\(right)", "begins with http://"),
    ("127.0.0.1:PORT/auth/callback\(right)", "begins with http://"),
    ("http://localhost:PORT/auth/callback\(right)", "another computer"),
    ("http://127.0.0.1/auth/callback\(right)", "another computer"),
    ("http://127.0.0.1:1/auth/callback\(right)", "another computer"),
    ("http://127.0.0.1:PORT0/auth/callback\(right)", "another computer"),
    ("http://user@127.0.0.1:PORT/auth/callback\(right)", "another computer"),
    ("http://127.0.0.1:PORT@evil.example/auth/callback\(right)", "another computer"),
    ("http://127.0.0.1:PORT\\@evil.example/auth/callback\(right)", "another computer"),
    ("http://[::1]:PORT/auth/callback\(right)", "another computer"),
    ("http://127.0.0.1:PORT/callback\(right)", "its path"), ("http://127.0.0.1:PORT\(right)", "its path"),
    ("http://127.0.0.1:PORT", "its path"), ("\(base)/\(right)", "its path"),
    (base, "another sign-in"), ("\(base)#\(right)", "another sign-in"),
    ("\(base)?code=abc&state=other", "another sign-in"),
    ("\(base)?state=the-state", "neither a code nor an error"),
    ("\(base)?code=a%2&state=the-state", "damaged"), ("\(base)?code=a b&state=the-state", "damaged"),
    ("\(base)?code=a\nb&state=the-state", "damaged"), ("\(base)?code=ä&state=the-state", "damaged"),
    ("\(base)\(right)&code=abc", "twice"), ("\(base)\(right)&client_id=", "malformed"),
    ("\(base)\(right)&iss=https://other.example", "another server"),
  ])
  func tellsWhatIsWrong(_ text: String, _ reason: String) async throws {
    let listener = try Self.listener()
    let error = #expect(throws: ChappieAuthError.self) {
      try listener.take(pasted: text.replacing("PORT", with: String(listener.port)))
    }
    #expect(error?.description.contains(reason) == true)
    #expect(error?.description.contains("the-state") == false)
    try listener.take(pasted: listener.redirectURI + Self.right)
    #expect(try await listener.callback().code == "abc")
    listener.finish(.signedIn)
  }

  @Test(arguments: ["x", "%41", " ", "&", "http://"])
  func aMegabyteIsRefused(_ piece: String) throws {
    let listener = try Self.listener()
    let long = listener.redirectURI + Self.right + String(repeating: piece, count: 1 << 20)
    let error = #expect(throws: ChappieAuthError.self) { try listener.take(pasted: long) }
    #expect(error?.description.contains("too long") == true)
    listener.finish(.cancelled)
  }
}
