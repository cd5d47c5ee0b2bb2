import GLibBridge

/// A state of the service that `chappie monitor` shows as a line.
@GLibActor
protocol MonitorSource: AnyObject {
  /// Finds its objects in the service, and starts the service if it does not run. Each start of the service makes new
  /// objects.
  func attach() async throws

  /// Whether the line depends on this object.
  func depends(on path: ObjectPath) -> Bool

  /// The state now.
  func state() async throws -> PanelState
}
