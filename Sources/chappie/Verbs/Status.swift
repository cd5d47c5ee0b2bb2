// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import Platform

extension Verb {
  /// `chappie status`: shows the sign-in.
  static let status = Verb(
    "status", tr("Show who is signed in"),
    details: tr("Exits with 0 when somebody is signed in, with 3 when a sign-in is needed."), account, json
  ) { account, json in
    Work.exiting(.init(json: json)) { service in
      let session = try await service.session(account)
      let status = try await service.status(session)
      let isSignedIn = status.state == .signedIn
      let model = isSignedIn ? (try? await DefaultModel(service, account)) : nil
      if json {
        var object = status.json
        object.set("model", model?.slug)
        object.set("model_source", model?.source)
        StandardStream.output.line(object.line)
      } else {
        let lines = [
          "\(status.summary).", isSignedIn ? status.methodSentence : nil, status.planUse?.sentence,
          status.planUse?.management, model?.sentence,
          status.code == nil ? status.page.map { tr("Its page: \($0.terminalSafeLine)") } : nil,
          status.errorMessage.map { tr("Last failure: \(Translation.of($0).terminalSafeLine)") },
        ]
        for line in lines.compactMap(\.self) { StandardStream.output.line(line) }
      }
      return isSignedIn ? .success : .signInNeeded
    }
  }

  /// `chappie usage`: shows how much of the plan is used.
  static let usage = Verb(
    "usage", tr("Show how much of the plan is used"),
    details: tr(
      """
      With --json it prints an object that waybar's custom module takes: text, alt, class, tooltip and percentage, and \
      the limits themselves. With --follow it prints a line for each change, as chappie monitor --usage does. After a \
      sign-in in the browser there are no figures; it prints whether the plan can be used, and the page that has them.
      """),
    account, json, flag("follow", tr("Print a line for each change"))
  ) { account, json, follows in
    Work.exiting(json ? .panelJSON : .text) { service in
      if follows {
        return try await Monitor(service: service, format: json ? .json : .sentence)
          .run(account: account, isUsage: true)
      }
      let client = try await service.openClient(account)
      // No timeout: the keyring may ask for its password first, and the user may take any time.
      let reply = try await service.call(client, "Client", "GetUsageLimits", timeout: nil)
      let limits = try UsageLimits(try reply.member(0, "limits"))
      // Nil for a sign-in that tells figures, even if there are none now.
      let planUse = limits.isEmpty ? try await service.status(service.session(account)).planUse : nil
      let state = planUse?.state ?? limits.state
      StandardStream.output.write(
        json ? state.json.line + "\n" : planUse.map { $0.text + "\n" } ?? limits.text)
      return .success
    }
  }
}
