/// An object that may go: for lists of those that exist.
public struct Weak<Object: AnyObject> {
  public private(set) weak var value: Object?

  public init(_ value: Object) {
    self.value = value
  }
}
