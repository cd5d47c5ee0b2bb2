import GLibBridge

/// The models that the backend last offered to a slot, and the one that answers where nobody has chosen.
///
/// A list is good for a while. What is older still says which model to ask and how: an answer tells of a newer list,
/// and a refusal has the backend asked at once.
@GLibActor
final class ModelCache {
  static let lifetime = Duration.seconds(300)
  /// How long no turn waits for a list after one did so in vain.
  static let pauseAfterFailure = Duration.seconds(60)

  private struct Listing {
    let entries: [CatalogueEntry]
    let etag: String?
    /// Whom they were offered to: another account may have others.
    let accountID: String?
    var isGoodUntil: ContinuousClock.Instant
    /// Those that the backend lists and does not take.
    var refused: Set<String> = []

    /// The model that answers where nobody has chosen: the seeds' one where it is offered, else the best.
    var standard: CatalogueEntry? {
      let offered = entries.filter { $0.isListed && !refused.contains($0.model.slug) }
      return offered.first { $0.model.slug == ModelChoice.standardSlug } ?? offered.first
    }
  }

  private var listing: Listing? {
    didSet {
      guard listing?.standard?.model.slug != oldValue?.standard?.model.slug else { return }
      tellStandard()
    }
  }
  /// Whose sign-in is in the slot; nil while nobody's is known.
  private var account: ChappieAccountInfo?
  private var isPausingUntil: ContinuousClock.Instant?
  private let observers = Observers<Void>()
  private var observation: Observation?
  /// The question for the list that is under way.
  var question: ModelQuestion?

  nonisolated init() {}

  fileprivate convenience init(of slot: CredentialSlot) {
    self.init()
    account = slot.state.accountInfo
    observation = slot.observe { [weak self] in self?.follow($0.new) }
  }

  /// Follows whose sign-in it is.
  private func follow(_ state: SlotState) {
    guard state.accountInfo != account else { return }
    account = state.accountInfo
    observers.notify(())
  }

  // MARK: The list

  /// The models for an account; nil when the backend must be asked.
  func models(for accountID: String?, at now: ContinuousClock.Instant = .now) -> [ChappieModel]? {
    guard let listing, listing.accountID == accountID, now < listing.isGoodUntil else { return nil }
    return listing.entries.filter(\.isListed).map(\.model)
  }

  func keep(
    _ entries: [CatalogueEntry], etag: String?, for accountID: String?, at now: ContinuousClock.Instant = .now
  ) {
    let isNews = listing?.entries != entries || listing?.accountID != accountID
    let refused = isNews ? [] : listing?.refused ?? []
    listing = Listing(
      entries: entries, etag: etag, accountID: accountID, isGoodUntil: now + Self.lifetime, refused: refused)
    isPausingUntil = nil
  }

  /// An answer to `accountID` told which list is the newest: the one that is here stays good, or must be asked for.
  func hear(_ etag: String, for accountID: String?, at now: ContinuousClock.Instant = .now) {
    guard let known = listing, known.accountID == accountID, let knownEtag = known.etag else { return }
    listing?.isGoodUntil = knownEtag == etag ? now + Self.lifetime : now
  }

  // MARK: For requests

  /// What is known of the list when a turn begins.
  enum Knowledge {
    case good
    /// It may be another by now.
    case old
    /// There is none, and it is worth asking.
    case none
    /// There is none, and it could not be had a moment ago.
    case unavailable
  }

  func knowledge(for accountID: String?, at now: ContinuousClock.Instant = .now) -> Knowledge {
    if let listing, listing.accountID == accountID { return now < listing.isGoodUntil ? .good : .old }
    return isPausingUntil.map { now < $0 } == true ? .unavailable : .none
  }

  /// The list could not be had.
  func noteFailure(at now: ContinuousClock.Instant = .now) {
    isPausingUntil = now + Self.pauseAfterFailure
  }

  /// The backend does not take a model, whatever its list says.
  func noteRefusal(of slug: String, for accountID: String?) {
    guard listing?.accountID == accountID else { return }
    listing?.refused.insert(slug)
  }

  /// What to ask for `choice`. Without a list it is the slug alone: the seeds' one where nobody has chosen.
  func model(for choice: ModelChoice, of accountID: String?) -> RequestModel {
    let listing = listing?.accountID == accountID ? listing : nil
    switch choice {
    case .standard:
      return listing?.standard.map(RequestModel.init) ?? RequestModel(slug: ModelChoice.standardSlug)
    case .chosen(let slug):
      return listing?.entries.first { $0.model.slug == slug }.map(RequestModel.init) ?? RequestModel(slug: slug)
    }
  }

  /// How many tokens a model takes, where that is known.
  func contextWindow(of slug: String, for accountID: String?) -> Int? {
    guard listing?.accountID == accountID else { return nil }
    return listing?.entries.first { $0.model.slug == slug }?.model.contextWindow
  }

  /// The slugs that an account can be told to choose from.
  func offered(to accountID: String?) -> [String] {
    guard let listing, listing.accountID == accountID else { return [] }
    return listing.entries.filter { $0.isListed && !listing.refused.contains($0.model.slug) }.map(\.model.slug)
  }

  // MARK: For people

  /// The model that answers where nobody has chosen, as far as it is known without asking.
  var standard: (slug: String, source: ModelSource) {
    guard let listing, let account, listing.accountID == account.accountID, let standard = listing.standard else {
      return (ModelChoice.standardSlug, .unconfirmed)
    }
    return (standard.model.slug, .catalogue)
  }

  /// Calls `observer` after each change of ``standard``, for as long as the result is kept.
  func observe(_ observer: @escaping @GLibActor () -> Void) -> Observation {
    observers.observe(observer)
  }

  private func tellStandard() {
    if let slug = listing?.standard?.model.slug {
      Log.info(
        slug == ModelChoice.standardSlug
          ? "The default model is \(name: slug)."
          : "The default model is \(name: slug): the backend does not offer \(name: ModelChoice.standardSlug).")
    }
    observers.notify(())
  }
}

extension CredentialSlot {
  /// The models that the backend offers to this slot.
  var modelCache: ModelCache { attached { ModelCache(of: self) } }
}

/// How the slug of the model that a client asks is known.
package enum ModelSource: String, Sendable {
  /// A caller or the configuration has chosen it.
  case chosen
  /// Nobody has chosen, and the backend offers it.
  case catalogue
  /// Nobody has chosen, and the backend was not asked yet what it offers.
  case unconfirmed
}
