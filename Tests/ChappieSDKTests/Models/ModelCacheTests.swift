// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

@testable import ChappieSDK

@GLibActor
struct ModelCacheTests {
  private let cache = ModelCache()
  private let start = ContinuousClock.now
  private let entries = [CatalogueEntry(model: ChappieModel(slug: "m", displayName: "m"))]
  private var models: [ChappieModel] { entries.map(\.model) }

  private func at(_ seconds: Double) -> ContinuousClock.Instant { start + .seconds(seconds) }

  @Test func listBelongsToOneAccount() {
    #expect(cache.models(for: "ada", at: start) == nil)
    cache.hear("e1", for: "ada", at: start)
    #expect(cache.models(for: "ada", at: start) == nil)
    cache.keep(entries, etag: "e1", for: "ada", at: start)
    #expect(cache.models(for: "bob", at: start) == nil)
    #expect(cache.models(for: nil, at: start) == nil)
    cache.keep([], etag: nil, for: "ada", at: start)
    #expect(cache.models(for: "ada", at: start) == [])
  }

  @Test func etagsRenewOrDiscardTheList() {
    cache.keep(entries, etag: "e1", for: "ada", at: start)
    cache.hear("e1", for: "ada", at: at(200))
    #expect(cache.models(for: "ada", at: at(499.9)) == models)
    #expect(cache.models(for: "ada", at: at(500)) == nil)
    cache.hear("e2", for: "bob", at: at(201))
    #expect(cache.models(for: "ada", at: at(201)) == models)
    cache.hear("e2", for: "ada", at: at(201))
    #expect(cache.models(for: "ada", at: at(201)) == nil)
  }

  /// A list without an etag cannot be compared, and a request for each turn would defeat the cache.
  @Test func listWithoutAnEtagStaysUntilItExpires() {
    cache.keep(entries, etag: nil, for: "ada", at: start)
    cache.hear("e2", for: "ada", at: at(1))
    #expect(cache.models(for: "ada", at: at(299)) == models)
    #expect(cache.models(for: "ada", at: at(300)) == nil)
  }

  // MARK: The default

  private static func entry(_ slug: String, isListed: Bool = true) -> CatalogueEntry {
    CatalogueEntry(model: ChappieModel(slug: slug, displayName: slug), isListed: isListed)
  }

  private func standard(_ slugs: String..., for accountID: String? = "ada") -> String {
    cache.keep(slugs.map { Self.entry($0) }, etag: nil, for: accountID, at: start)
    return cache.model(for: .standard, of: "ada").slug
  }

  @Test func defaultIsTheSeedsModelWhileListed() {
    #expect(cache.model(for: .standard, of: "ada").slug == "gpt-5.5")
    #expect(standard("best", "gpt-5.5", "last") == "gpt-5.5")
    #expect(standard("best", "last") == "best")
    #expect(standard() == "gpt-5.5")
    #expect(standard("best", for: "bob") == "gpt-5.5")
    cache.keep([Self.entry("gpt-5.5", isListed: false), Self.entry("second")], etag: nil, for: "ada", at: start)
    #expect(cache.model(for: .standard, of: "ada").slug == "second")
  }

  /// A new list clears the refusal.
  @Test func refusedModelIsNoDefault() {
    #expect(standard("best", "gpt-5.5") == "gpt-5.5")
    cache.noteRefusal(of: "gpt-5.5", for: "ada")
    #expect(standard("best", "gpt-5.5") == "best")
    #expect(cache.offered(to: "ada") == ["best"])
    #expect(standard("gpt-5.5", "best") == "gpt-5.5")
  }

  @Test func expiredListStillGivesTheDefault() {
    #expect(cache.knowledge(for: "ada", at: start) == .none)
    // A failed request makes it unavailable for a minute.
    cache.noteFailure(at: start)
    #expect(cache.knowledge(for: "ada", at: at(59)) == .unavailable)
    #expect(cache.knowledge(for: "ada", at: at(60)) == .none)
    #expect(standard("best") == "best")
    #expect(cache.models(for: "ada", at: at(300)) == nil)
    #expect(cache.knowledge(for: "ada", at: at(299)) == .good)
    #expect(cache.knowledge(for: "ada", at: at(300)) == .old)
    #expect(cache.model(for: .standard, of: "ada").slug == "best")
  }

  @Test func chosenModelTakesTheFormOfItsEntry() {
    let lite = CatalogueEntry(model: ChappieModel(slug: "hidden", displayName: "h"), isListed: false, form: .lite)
    cache.keep([lite], etag: nil, for: "ada", at: start)
    #expect(cache.model(for: .chosen("hidden"), of: "ada").form == .lite)
    #expect(cache.model(for: .chosen("other"), of: "ada") == RequestModel(slug: "other"))
  }
}
