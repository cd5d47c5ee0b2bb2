// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import Platform
import Templates

extension Verb {
  /// `chappie templates`: lists the templates of `ask`.
  static let templates = Verb(
    "templates", tr("List the templates of ask"),
    details: tr("A template is a text file with variables; chappie(1) shows one. It needs no service."), jsonLines
  ) { json in Work(output: .init(json: json)) { _ in try list(json: json) } }

  private static func list(json: Bool) throws -> ExitStatus {
    let files: [(name: String, path: String)]
    do {
      files = try TemplateDirectory.all()
    } catch {
      throw CommandFailure(.failed, tr("The templates cannot be read: \(error.description)."))
    }
    var table = Table(tr("TEMPLATE"), tr("ACTION"), tr("VARIABLES"), tr("DESCRIPTION"))
    var status = ExitStatus.success
    for file in files {
      do {
        let template = try Template(file.name, at: file.path)
        if json { StandardStream.output.line(line(template, file.path)) }
        table.append(
          template.name, template.isAction ? tr("yes") : "", template.variables.joined(separator: ", "),
          template.description ?? "")
      } catch {
        // The others can still be used.
        CommandFailure.report("\(error)")
        status = .failed
      }
    }
    guard !json else { return status }
    StandardStream.output.write(
      files.isEmpty ? tr("There are no templates: put them into \(TemplateDirectory.place).") + "\n" : table.text)
    return status
  }

  private static func line(_ template: Template, _ path: String) -> String {
    let object: JSONObject = [
      "template": template.name, "title": template.title, "path": path, "description": template.description,
      "variables": template.variables, "action": template.isAction, "replace": template.replacement.rawValue,
    ]
    return object.line
  }
}

extension Verb {
  /// `chappie act`: an action on the selected text, or on standard input.
  static let act = Verb(
    "act", tr("Act on the selected text"),
    details: tr(
      """
      An action is a template with Surfaces=selection; chappie templates lists them. Without --stdin the window of the \
      package chappie-desktop shows the actions and the answer. With it, standard input is replaced: standard output \
      gets the answer alone when it is complete, and nothing if it fails.
      """),
    account, flag("stdin", tr("Act on standard input, and print the answer")), templateValues, words(tr("[NAME]"))
  ) { account, readsInput, values, names in
    guard names.count <= 1 else { throw CommandLineError(tr("An action is one word: give its name alone.")) }
    let template = try names.first.map(TemplateDirectory.template)
    guard template?.isAction != false else {
      throw CommandLineError(tr("The template “\(names[0])” is no action: it needs Surfaces=selection."))
    }
    guard readsInput else {
      guard account == nil, values.isEmpty else {
        throw CommandLineError(tr("--account and --parameter need --stdin."))
      }
      return Work { service in try await showWindow(names.first, service) }
    }
    guard let template else { throw CommandLineError(tr("--stdin needs the name of an action.")) }
    let text = try AskInput.shortText()
    guard !text.trimmed.isEmpty else { throw CommandLineError(tr("There is no text to act on.")) }
    let filled = try template.filled(Dictionary(values) { $1 }, input: text)
    let options = try template.options(instructions: filled.instructions)
    return Work.exiting { service in
      let client = try await service.openClient(account)
      let output = AnswerOutput(form: .replacement(text), raw: true)
      return try await TurnPrinter(service: service, client: client, output: output)
        .print(Question(text: filled.question), options)
    }
  }

  /// Has the window act on the selected text.
  @GLibActor
  private static func showWindow(_ name: String?, _ service: ServiceConnection) async throws {
    // The token lets the window take the focus.
    let token = ["XDG_ACTIVATION_TOKEN", "DESKTOP_STARTUP_ID"].compactMap(CurrentProcess.environment).first ?? ""
    let platform: VariantDictionary = ["activation-token": token, "desktop-startup-id": token]
    let window = "org.chappie.Window"
    do {
      try await service.connection.call(
        window, .standing(for: window), "org.freedesktop.Application", "ActivateAction",
        .tuple(["act".variant, .array(of: "v", [(name ?? "").variant.boxed]), platform.variant]))
    } catch let error as GLibError where error.isServiceUnknown {
      throw CommandFailure(.failed, tr("There is no window: install the package chappie-desktop, or give --stdin."))
    }
  }
}
