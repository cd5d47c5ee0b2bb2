/// A model as a request names it, and what its request must be like.
struct RequestModel: Sendable, Equatable {
  /// The two forms of a request for an answer.
  enum Form: Sendable {
    /// Tools and instructions have fields of their own.
    case plain
    /// Tools and instructions are the first items of the input.
    case lite
  }

  let slug: String
  let form: Form
  /// The words of effort that the backend lists, from little to much; nil where it was not asked.
  let efforts: [String]?
  /// What the backend wants to be told for `ultra`; nil where it does not say.
  let ultra: String?

  init(slug: String, form: Form = .plain, efforts: [String]? = nil, ultra: String? = nil) {
    self.slug = slug
    self.form = form
    self.efforts = efforts
    self.ultra = ultra
  }

  /// Whether a request to `other` is answered as one to this model is.
  func isAsked(like other: RequestModel) -> Bool {
    slug == other.slug && form == other.form
  }

  // MARK: Effort

  /// All words for an effort that are known to be in use, from little to much.
  private static let scale = ["none", "minimal", "low", "medium", "high", "xhigh", "max"]
  /// A word for people: whoever lists it wants to be told another one.
  private static let ultra = "ultra"

  /// The word that the request says for `wanted`; nil where it must say none.
  ///
  /// A word that the model does not list becomes the next higher one that it does, or else its highest. One that is on
  /// no scale goes as it is, and the backend decides.
  func effort(_ wanted: ChappieReasoningEffort?) -> String? {
    guard let word = wanted?.rawValue else { return nil }
    guard let efforts else { return word == Self.ultra ? "xhigh" : word }
    let listed = efforts.filter { $0 != Self.ultra }
    if word == Self.ultra { return ultra ?? highest(of: listed) }
    guard !listed.contains(word), let rank = Self.scale.firstIndex(of: word), rank > 0 else { return word }
    let ranked = listed.compactMap { Self.scale.firstIndex(of: $0) }
    guard let best = ranked.filter({ $0 > rank }).min() ?? ranked.max() else { return nil }
    return Self.scale[best]
  }

  private func highest(of listed: [String]) -> String? {
    listed.compactMap { Self.scale.firstIndex(of: $0) }.max().map { Self.scale[$0] } ?? listed.last
  }
}
