import ChappieSDK
import Platform

/// A question to the user about background use.
struct ConsentQuestion: Sendable, Equatable {
  /// The id of the sandboxed app; nil for the user's own programs.
  let app: String?
  /// The name in the app's desktop file, if there is one. The app has chosen it, so it is shown with the id.
  let name: String?
}

extension DesktopNotification {
  init(askingForBackgroundUseBy question: ConsentQuestion) {
    let app = question.app?.shown(limit: 64)
    let wish =
      switch (app, question.name?.shown(limit: 64)) {
      case (nil, _): tr("A program of yours wants to ask ChatGPT on its own, without a question from you.")
      case (let app?, nil): tr("\(app) wants to ask ChatGPT on its own, without a question from you.")
      case (let app?, let name?): tr("\(name) (\(app)) wants to ask ChatGPT on its own, without a question from you.")
      }
    let option = app.map { " --app \($0)" } ?? ""
    self.init(
      summary: tr("Use ChatGPT in the background?"),
      body: [
        wish, tr("It uses your ChatGPT plan."), tr("In a terminal: \("chappie accounts --background allow\(option)")"),
      ].joined(separator: "\n"),
      actions: [.allow, .refuse], category: "x-chappie.consent", lifetime: .untilSolved)
  }
}
