// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import Platform

/// `chappie status`: shows the sign-in.
struct Status: Verb {
  static let name = "status"
  static let summary = tr("Show who is signed in")
  static let details = tr("Exits with 0 when somebody is signed in, with 3 when a sign-in is needed.")

  let account: String?
  let json: Bool

  static func prepare(_ parser: CommandLineParser) -> (CommandLineArguments) throws -> any Verb {
    let account = parser.account()
    let json = parser.flag("json", tr("Print one JSON object"))
    return { Status(account: $0[account], json: $0[json]) }
  }

  func run(_ service: ServiceConnection) async throws -> ExitStatus {
    let session = try await service.session(account)
    let status = try await service.status(session)
    let model = status.state == .signedIn ? await DefaultModel(service, account) : nil
    if json {
      var object = status.json
      object.set("model", model?.slug)
      object.set("model_source", model?.source)
      StandardStream.output.write(object.line + "\n")
    } else {
      StandardStream.output.write("\(status.summary).\n")
      let method = status.state == .signedIn ? status.method : nil
      for sentence in [method?.sentence, status.planUse?.sentence, status.planUse?.management, model?.sentence] {
        if let sentence { StandardStream.output.write("\(sentence)\n") }
      }
      if let page = status.authorizationURI {
        StandardStream.output.write(tr("Its page: \(page.terminalSafeLine)") + "\n")
      }
      if let message = status.errorMessage {
        StandardStream.output.write(tr("Last failure: \(ServiceSentences.translated(message).terminalSafeLine)") + "\n")
      }
    }
    return status.state == .signedIn ? .success : .signInNeeded
  }
}
