// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform
import Templates

extension Verb {
  /// `chappie templates`: lists the templates of `ask`.
  static let templates = Verb(
    "templates", tr("List the templates of ask"),
    details: tr("A template is a text file with variables; chappie(1) shows one. It needs no service.")
  ) { parser in
    let json = parser.jsonLines()
    return { arguments in Work(json: arguments[json], anywhere: { _ in try list(json: arguments[json]) }) }
  }

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
