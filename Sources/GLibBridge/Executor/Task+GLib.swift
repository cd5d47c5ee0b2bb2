extension Task where Failure == Never {
  /// Starts work on the actor.
  ///
  /// A plain `Task { @GLibActor in … }` resumes after each wait on a thread of Swift's own pool and only then comes
  /// back; this one prefers the actor's thread, and the pool is never started.
  @discardableResult
  public static func onGLib(@_implicitSelfCapture _ body: sending @escaping @GLibActor () async -> Success) -> Task {
    Task(executorPreference: GLibActor.shared.executor) { await body() }
  }
}

extension Task where Failure == any Error {
  /// Starts work on the actor that can fail; see the form that cannot.
  @discardableResult
  public static func onGLib(@_implicitSelfCapture _ body: sending @escaping @GLibActor () async throws -> Success)
    -> Task
  {
    Task(executorPreference: GLibActor.shared.executor) { try await body() }
  }
}
