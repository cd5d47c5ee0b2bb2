/// Something that extends the app, as the model is told of it.
public struct ChappieHarnessPlugin: Sendable, Hashable {
  public var name: String
  /// Tells the model what it adds.
  public var description: String
  /// A semantic version, where it has one.
  public var version: String?

  public init(name: String, description: String, version: String? = nil) {
    self.name = name
    self.description = description
    self.version = version
  }
}
