import GLibBridge

/// The models that the backend last offered to a slot, for as long as they are likely to be right.
@GLibActor
final class ModelCache {
  static let lifetime = Duration.seconds(300)

  private struct Listing {
    let models: [ChappieModel]
    let etag: String?
    /// Whom they were offered to: another account may have others.
    let accountID: String?
    var isGoodUntil: ContinuousClock.Instant
  }

  private var listing: Listing?

  nonisolated init() {}

  /// The models for an account; nil when the backend must be asked.
  func models(for accountID: String?, at now: ContinuousClock.Instant = .now) -> [ChappieModel]? {
    guard let listing, listing.accountID == accountID, now < listing.isGoodUntil else { return nil }
    return listing.models
  }

  func keep(_ models: [ChappieModel], etag: String?, for accountID: String?, at now: ContinuousClock.Instant = .now) {
    listing = Listing(models: models, etag: etag, accountID: accountID, isGoodUntil: now + Self.lifetime)
  }

  /// An answer to `accountID` told which list is the newest: the one that is here stays good, or is forgotten.
  func hear(_ etag: String, for accountID: String?, at now: ContinuousClock.Instant = .now) {
    guard let known = listing, known.accountID == accountID, let knownEtag = known.etag else { return }
    if knownEtag == etag { listing?.isGoodUntil = now + Self.lifetime } else { listing = nil }
  }
}
