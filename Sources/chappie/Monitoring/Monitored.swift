import GLibBridge

/// What `chappie monitor` prints a line of whenever it changes.
@GLibActor
protocol Monitored: AnyObject {
  /// Finds its objects in the service, which is started where it does not run. They are others after each start.
  func attach() async throws

  /// Whether what is shown depends on this object.
  func depends(on path: ObjectPath) -> Bool

  /// What is shown now.
  func line() async throws -> String

  /// What is shown while the service does not run.
  var unavailable: String { get }
}
