// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

/// The user's answers on background use, in a key file of the user's state directory:
///
///     [org.example.App]
///     Answer=allow
///     Time=1795420800
///
/// The desktop user's own programs have the group `[desktop-user]`, which is no app's id. The file is read at each use.
struct BackgroundAnswers {
  /// How background turns of an application are treated.
  enum Choice: String, CaseIterable {
    case allow
    case deny
    /// The next one asks the user.
    case ask
  }

  private struct Answer {
    let choice: Choice
    let time: Timestamp
  }

  private static let sizeLimit = 256 << 10
  private static let desktopUser = "desktop-user"

  private let directory: String
  private var path: String { directory + "/background-use" }

  init(directory: String = Directories.state + "/chappie") {
    self.directory = directory
  }

  /// The answer for an app, or for the desktop user; nil if there is none. A file that cannot be read makes each
  /// application ask.
  func choice(for app: AppID?) -> Choice? {
    guard let answers = try? read() else { return .ask }
    return answers[Self.group(app)]?.choice
  }

  /// Keeps an answer.
  ///
  /// - Throws: ``FileError``. A file that cannot be read is replaced.
  func set(_ choice: Choice, for app: AppID?) throws(FileError) {
    var answers = (try? read()) ?? [:]
    answers[Self.group(app)] = Answer(choice: choice, time: .now)
    let text = answers.sorted { $0.key < $1.key }.map { group, answer in
      "[\(group)]\nAnswer=\(answer.choice.rawValue)\nTime=\(answer.time.unixSeconds)\n"
    }
    try Files.makeDirectory(directory)
    try Files.write(Array(text.joined(separator: "\n").utf8), to: path)
  }

  private func read() throws -> [String: Answer] {
    guard Files.exists(path) else { return [:] }
    let file = try KeyFile(Files.read(path, limit: Self.sizeLimit))
    var answers: [String: Answer] = [:]
    // The names of applications are ASCII. Among others, `String` takes different bytes for the same name.
    for group in file.groupNames where group.utf8.allSatisfy({ $0 < 0x80 }) {
      // A value that is not understood allows nothing.
      let choice = file.string(group, "Answer").flatMap(Choice.init) ?? .ask
      let time = file.string(group, "Time").flatMap { Timestamp(text: $0) } ?? .distantPast
      answers[group] = Answer(choice: choice, time: time)
    }
    return answers
  }

  private static func group(_ app: AppID?) -> String { app?.text ?? desktopUser }
}
