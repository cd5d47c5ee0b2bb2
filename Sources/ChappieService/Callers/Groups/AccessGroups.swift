import GLibBridge

/// Who may share credentials with whom.
///
/// The files are read whenever somebody wants to use a group, and only then: what is on the disk counts from the next
/// call on, on every file system, and nothing watches directories for somebody who may never come. A call that sends a
/// prompt to a server does not feel it.
@GLibActor
final class AccessGroups {
  /// A home directory on a server that does not answer must not keep a caller waiting for ever.
  private static let deadline = Duration.seconds(5)

  private let directories: [String]
  /// What is wrong now and was logged.
  private var reported: Set<AccessGroupFiles.Problem> = []

  init(directories: [String] = AccessGroupFiles.standardDirectories) {
    self.directories = directories
  }

  /// Makes sure that a caller may use the credentials of `group`: a sandboxed app when the group lists it, and any
  /// program outside of a sandbox when the group exists, for no boundary stands between such programs.
  ///
  /// - Throws: `BusError` with `AccessDenied`.
  func admit(_ caller: CallerIdentity, to group: String) async throws {
    let files = await offActor(deadline: Self.deadline) { [directories] in AccessGroupFiles(in: directories) }
    guard let files else {
      throw BusError(.accessDenied, "The files that define access groups cannot be read now: try again later.")
    }
    report(files.problems)
    guard let members = files.groups[group] else {
      Log.info("A caller is refused: there is no access group of the name that it gives.")
      throw BusError(
        .accessDenied,
        "There is no access group '\(group)': a file in chappie/access-groups.d has to define it, see org.chappie(7).")
    }
    switch caller {
    case .unsandboxed: break
    case .sandboxed(let app) where members.contains(app): break
    case .sandboxed(let app):
      Log.info("The app \(name: "\(app)") is refused: the access group \(name: group) does not list it.")
      throw BusError(
        .accessDenied,
        "\(app) is no member of the access group '\(group)': a file in chappie/access-groups.d has to list it, see "
          + "org.chappie(7).")
    case .uninspectable, .unknownForNow: throw caller.denial
    }
  }

  /// Logs each problem once for as long as it lasts.
  private func report(_ problems: [AccessGroupFiles.Problem]) {
    for problem in problems where !reported.contains(problem) {
      Log.warning("\(path: problem.path) is skipped: \(reason: problem.reason).")
    }
    reported = Set(problems)
  }
}
