// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

@testable import ChappieService

struct CallerIdentityTests {
  @Test func theDenialNamesTheCallerAndTheRemedy() throws {
    let app = CallerIdentity.sandboxed(try #require(AppID("org.example.App"))).denial
    #expect(app.name == "org.chappie.Error.AccessDenied")
    #expect(app.message.contains("org.example.App"))
    #expect(app.message.contains("OpenSession or OpenClient"))
    let outside = CallerIdentity.unsandboxed.denial
    #expect(outside.name == "org.chappie.Error.AccessDenied")
    #expect(outside.message.contains("OpenSession or OpenClient"))
    let stranger = CallerIdentity.unidentified(Unidentified("has ended")).denial
    #expect(stranger.name == "org.chappie.Error.AccessDenied")
    #expect(stranger.message.contains("the caller has ended."))
  }
}
