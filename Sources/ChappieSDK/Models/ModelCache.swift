// SPDX-License-Identifier: Apache-2.0
import GLibBridge

/// The backend's last list of models for a slot, and the default model.
///
/// A list is fresh for a limited time. A stale list still gives the model and the form of a request. An answer may
/// announce a newer list, and a refusal of a model starts a request for the list at once.
@GLibActor
final class ModelCache {
  static let lifetime = Duration.seconds(300)
  /// The pause after a failed request for the list. No turn waits for the list during it.
  static let pauseAfterFailure = Duration.seconds(60)

  private struct Listing {
    let entries: [CatalogueEntry]
    let etag: String?
    /// The account of the list. Another account may have other models.
    let accountID: String?
    var isGoodUntil: ContinuousClock.Instant
    /// Listed models that the backend has refused.
    var refused: Set<String> = []

    /// The listed models that the backend has not refused, best first.
    var offered: [CatalogueEntry] { entries.filter { $0.isListed && !refused.contains($0.model.slug) } }

    /// The default model: the built-in one when the list contains it, otherwise the best.
    var standard: CatalogueEntry? {
      offered.first { $0.model.slug == ModelChoice.standardSlug } ?? offered.first
    }
  }

  private var listing: Listing? {
    didSet {
      guard listing?.standard?.model.slug != oldValue?.standard?.model.slug else { return }
      tellStandard()
    }
  }
  /// The account in the slot. Nil while it is unknown.
  private var account: ChappieAccountInfo?
  private var isPausingUntil: ContinuousClock.Instant?
  /// Notified after each change of ``standard``.
  let changes = Observers<Void>()
  private var observation: Observation?
  /// A model at a backend, for an account.
  struct Served: Hashable {
    let slug: String
    let modelsURL: String
    let accountID: String?

    init(_ model: RequestModel, _ grant: AccessGrant) {
      slug = model.slug
      modelsURL = grant.backend.modelsURL
      accountID = grant.accountID
    }
  }

  /// How long a model gets text and pictures after it has refused files. The reason may have been in one file alone.
  static let pauseWithoutFiles = Duration.seconds(3600)
  private var withoutFiles: [Served: ContinuousClock.Instant] = [:]
  /// The running request for the list.
  var question: ModelQuestion?

  nonisolated init() {}

  fileprivate convenience init(of slot: CredentialSlot) {
    self.init()
    account = slot.state.accountInfo
    observation = slot.observe { [weak self] in
      // A new sign-in may have the right that the last request for the list lacked.
      if $0.new.deviceLinkState == .linked, $0.old.deviceLinkState != .linked { self?.isPausingUntil = nil }
      self?.follow($0.new)
    }
  }

  /// Follows changes of the signed-in account.
  private func follow(_ state: SlotState) {
    guard state.accountInfo != account else { return }
    account = state.accountInfo
    changes.notify(())
  }

  // MARK: The list

  private func listing(for accountID: String?) -> Listing? { listing?.accountID == accountID ? listing : nil }

  /// The fresh models for an account. Nil when the backend must be asked.
  func models(for accountID: String?, at now: ContinuousClock.Instant = .now) -> [ChappieModel]? {
    guard let listing = listing(for: accountID), now < listing.isGoodUntil else { return nil }
    return listing.entries.filter(\.isListed).map(\.model)
  }

  func keep(
    _ entries: [CatalogueEntry], etag: String?, for accountID: String?, at now: ContinuousClock.Instant = .now
  ) {
    let same = listing(for: accountID).flatMap { $0.entries == entries ? $0 : nil }
    listing = Listing(
      entries: entries, etag: etag, accountID: accountID, isGoodUntil: now + Self.lifetime,
      refused: same?.refused ?? [])
    isPausingUntil = nil
  }

  /// Handles the etag of the newest list, from an answer to `accountID`. A matching list is fresh again; any other
  /// becomes stale.
  func hear(_ etag: String, for accountID: String?, at now: ContinuousClock.Instant = .now) {
    guard let knownEtag = listing(for: accountID)?.etag else { return }
    listing?.isGoodUntil = knownEtag == etag ? now + Self.lifetime : now
  }

  // MARK: For requests

  /// The state of the list at the start of a turn.
  enum Knowledge {
    case good
    /// The list is stale and may have changed.
    case old
    /// No list is present, and the backend may be asked.
    case none
    /// No list is present, and the last request for one failed a moment ago.
    case unavailable
  }

  func knowledge(for accountID: String?, at now: ContinuousClock.Instant = .now) -> Knowledge {
    if let listing = listing(for: accountID) { return now < listing.isGoodUntil ? .good : .old }
    return isPausingUntil.map { now < $0 } == true ? .unavailable : .none
  }

  /// Records a failed request for the list.
  func noteFailure(at now: ContinuousClock.Instant = .now) {
    isPausingUntil = now + Self.pauseAfterFailure
  }

  /// Records the backend's refusal of a listed model.
  func noteRefusal(of slug: String, for accountID: String?) {
    guard listing(for: accountID) != nil else { return }
    listing?.refused.insert(slug)
  }

  /// The model for requests with `choice`. Without a list it is only a slug: the chosen one or the built-in default.
  func model(for choice: ModelChoice, of accountID: String?) -> RequestModel {
    let listing = listing(for: accountID)
    switch choice {
    case .standard:
      return listing?.standard.map(RequestModel.init) ?? RequestModel(slug: ModelChoice.standardSlug)
    case .chosen(let slug):
      return listing?.entries.first { $0.model.slug == slug }.map(RequestModel.init) ?? RequestModel(slug: slug)
    }
  }

  /// A model's context window in tokens. Nil when it is unknown.
  func contextWindow(of slug: String, for accountID: String?) -> Int? {
    listing(for: accountID)?.entries.first { $0.model.slug == slug }?.model.contextWindow
  }

  /// The slugs to suggest to an account.
  func offered(to accountID: String?) -> [String] {
    listing(for: accountID)?.offered.map(\.model.slug) ?? []
  }

  /// Whether a model has refused files lately.
  func takesNoFiles(_ model: Served, at now: ContinuousClock.Instant = .now) -> Bool {
    withoutFiles[model].map { now < $0 } == true
  }

  /// Records that a model refuses files. It keeps the time of an earlier record.
  func noteNoFiles(_ model: Served, at now: ContinuousClock.Instant = .now) {
    guard !takesNoFiles(model, at: now) else { return }
    withoutFiles[model] = now + Self.pauseWithoutFiles
  }

  // MARK: For users

  /// The default model and its source, as known without a request.
  var standard: (slug: String, source: ModelSource) {
    guard let listing, let account, account.isRequester(listing.accountID), let standard = listing.standard else {
      return (ModelChoice.standardSlug, .unconfirmed)
    }
    return (standard.model.slug, .catalogue)
  }

  private func tellStandard() {
    if let slug = listing?.standard?.model.slug {
      Log.info(
        slug == ModelChoice.standardSlug
          ? "The default model is \(name: slug)."
          : "The default model is \(name: slug): the backend does not offer \(name: ModelChoice.standardSlug).")
    }
    changes.notify(())
  }
}

extension CredentialSlot {
  /// The backend's models for this slot.
  var modelCache: ModelCache { attached { ModelCache(of: self) } }
}

/// The source of a model's slug.
package enum ModelSource: String, Sendable {
  /// The caller or the configuration has chosen the model.
  case chosen
  /// No model is chosen, and the backend offers this one.
  case catalogue
  /// No model is chosen, and the backend's offer is not known yet.
  case unconfirmed
}
