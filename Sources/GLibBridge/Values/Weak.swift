/// A weak reference, for use in collections.
public struct Weak<Object: AnyObject> {
  public private(set) weak var value: Object?

  public init(_ value: Object) {
    self.value = value
  }
}
