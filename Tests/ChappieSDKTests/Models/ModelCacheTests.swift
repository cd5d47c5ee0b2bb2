import GLibBridge
import Testing

@testable import ChappieSDK

@GLibActor
struct ModelCacheTests {
  private let cache = ModelCache()
  private let start = ContinuousClock.now
  private let models = [ChappieModel(slug: "m", displayName: "m")]

  private func at(_ seconds: Double) -> ContinuousClock.Instant { start + .seconds(seconds) }

  @Test func holdsNothingAtFirst() {
    #expect(cache.models(for: "ada", at: start) == nil)
    cache.hear("e1", for: "ada", at: start)
    #expect(cache.models(for: "ada", at: start) == nil)
  }

  @Test func keepsAListForFiveMinutes() {
    cache.keep(models, etag: "e1", for: "ada", at: start)
    #expect(cache.models(for: "ada", at: at(299.9)) == models)
    #expect(cache.models(for: "ada", at: at(300)) == nil)
  }

  @Test func anEmptyListIsKeptToo() {
    cache.keep([], etag: nil, for: "ada", at: start)
    #expect(cache.models(for: "ada", at: start) == [])
  }

  @Test func aListIsForOneAccount() {
    cache.keep(models, etag: "e1", for: "ada", at: start)
    #expect(cache.models(for: "bob", at: start) == nil)
    #expect(cache.models(for: nil, at: start) == nil)
  }

  @Test func anotherEtagForgetsTheList() {
    cache.keep(models, etag: "e1", for: "ada", at: start)
    cache.hear("e2", for: "ada", at: at(1))
    #expect(cache.models(for: "ada", at: at(1)) == nil)
  }

  @Test func theSameEtagKeepsTheListLonger() {
    cache.keep(models, etag: "e1", for: "ada", at: start)
    cache.hear("e1", for: "ada", at: at(200))
    #expect(cache.models(for: "ada", at: at(499)) == models)
    #expect(cache.models(for: "ada", at: at(500)) == nil)
  }

  @Test func whatAnotherAccountIsToldChangesNothing() {
    cache.keep(models, etag: "e1", for: "ada", at: start)
    cache.hear("e2", for: "bob", at: at(1))
    #expect(cache.models(for: "ada", at: at(1)) == models)
  }

  /// Without an etag there is nothing to compare; asking each time would be no cache.
  @Test func aListWithoutAnEtagLivesItsTime() {
    cache.keep(models, etag: nil, for: "ada", at: start)
    cache.hear("e2", for: "ada", at: at(1))
    #expect(cache.models(for: "ada", at: at(299)) == models)
    #expect(cache.models(for: "ada", at: at(300)) == nil)
  }
}
