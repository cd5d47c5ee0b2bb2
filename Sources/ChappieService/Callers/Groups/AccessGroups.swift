// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge

/// Decides which apps may share credentials.
///
/// The service reads the files each time that a caller wants to use a group. A change on the disk takes effect with the
/// next call, on every file system, without a directory watch. The time is negligible beside a request to a server.
@GLibActor
final class AccessGroups {
  /// The time limit for reading: a home directory can be on a server that does not answer.
  private static let deadline = Duration.seconds(5)

  /// The present problems that were logged.
  private var reported: Set<AccessGroupFiles.Problem> = []

  /// Checks that a caller may use the credentials of `group`. A sandboxed app may if the group lists it. A program
  /// outside of a sandbox may if the group exists, since no boundary separates such programs.
  ///
  /// - Throws: `BusError` with `AccessDenied`.
  func admit(_ caller: CallerIdentity, to group: String) async throws {
    let members = try await definition(of: group).members
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

  /// Whether the members of `group` are apps of one developer, see ``AccessGroup/isOfOneDeveloper``.
  ///
  /// - Throws: `BusError` with `AccessDenied` if there is no such group.
  func isOfOneDeveloper(_ group: String) async throws -> Bool {
    try await definition(of: group).isOfOneDeveloper
  }

  private func definition(of group: String) async throws -> AccessGroup {
    let files = await offActor(deadline: Self.deadline) { AccessGroupFiles(in: AccessGroupFiles.standardDirectories) }
    guard let files else {
      throw BusError(.accessDenied, "The files that define access groups cannot be read now: try again later.")
    }
    report(files.problems)
    guard let definition = files.groups[group] else {
      Log.info("A caller is refused: there is no access group of the name that it gives.")
      throw BusError(
        .accessDenied,
        "There is no access group '\(group)': a file in chappie/access-groups.d has to define it, see org.chappie(7).")
    }
    return definition
  }

  /// Logs each problem once while it lasts.
  private func report(_ problems: [AccessGroupFiles.Problem]) {
    for problem in problems where !reported.contains(problem) {
      Log.warning("\(path: problem.path) is skipped: \(reason: problem.reason).")
    }
    reported = Set(problems)
  }
}
