extension Task where Failure == Never {
  /// Starts a task on the actor.
  ///
  /// A plain `Task { @GLibActor in … }` resumes on Swift's thread pool after each suspension before it returns to the
  /// actor. This task prefers the actor's thread, so the pool is never started.
  @discardableResult
  public static func onGLib(@_implicitSelfCapture _ body: sending @escaping @GLibActor () async -> Success) -> Task {
    Task(executorPreference: GLibActor.shared.executor) { await body() }
  }
}

extension Task where Failure == any Error {
  /// Starts a task on the actor that can throw; otherwise as the form that cannot.
  @discardableResult
  public static func onGLib(@_implicitSelfCapture _ body: sending @escaping @GLibActor () async throws -> Success)
    -> Task
  {
    Task(executorPreference: GLibActor.shared.executor) { try await body() }
  }
}
