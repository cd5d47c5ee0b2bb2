import GLibBridge

/// The user's own names for models: `[Models]` of `chappie/chappie.conf`.
struct ModelAliases: Sendable {
  private static let group = "Models"

  private var slugs: [String: String] = [:]

  /// Adds the aliases of `file` that no earlier file has.
  ///
  /// - Throws: ``StartFailure`` for an alias or a slug that cannot be used.
  mutating func read(_ file: KeyFile) throws {
    for alias in file.keys(of: Self.group) where slugs[alias] == nil {
      let key = "[\(Self.group)] \(alias)="
      guard (1...64).contains(alias.utf8.count) else {
        throw StartFailure(description: "\(key) in the configuration must have a name of 1 to 64 bytes.")
      }
      let slug = try file.setting(Self.group, alias) ?? ""
      guard (1...255).contains(slug.utf8.count),
        !slug.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
      else {
        throw StartFailure(key, "the slug of a model", slug)
      }
      slugs[alias] = slug
    }
  }

  /// The slug that an alias stands for; `name` itself if it is no alias.
  func slug(_ name: String) -> String { slugs[name] ?? name }

  /// The aliases of a model, sorted.
  func names(of slug: String) -> [String] { slugs.filter { $0.value == slug }.keys.sorted() }
}
