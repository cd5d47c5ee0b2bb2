// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Synchronization
import Testing

@testable import ChappieService

@GLibActor
struct RateLimitTests {
  @Test func allowsABurstAndThenAFixedRate() throws {
    let start = ContinuousClock.now
    let seconds = Mutex(0)
    let limit = RateLimit<Application> { _ in
      Rate(atOnce: 3, perSecond: 0.5)
    } now: {
      start + .seconds(seconds.withLock { $0 })
    }
    let app = Application.sandboxed(try #require(AppID("org.example.App")))
    for _ in 0..<3 { #expect(limit.allows(app)) }
    #expect(!limit.allows(app))
    // Each application has its own limit.
    #expect(limit.allows(.uninspectable))
    seconds.withLock { $0 = 2 }
    #expect(limit.allows(app))
    #expect(!limit.allows(app))
    // Unused calls accumulate only up to the burst.
    seconds.withLock { $0 = 1000 }
    for _ in 0..<3 { #expect(limit.allows(app)) }
    #expect(!limit.allows(app))
  }
}
