// SPDX-License-Identifier: Apache-2.0
import FoundationXML

/// Introspection XML as comparable lines, such as `method Send: in s text, out s answer`.
final class Introspection: NSObject, XMLParserDelegate {
  private var interfaces: [String: Set<String>] = [:]
  private var interface = ""
  private var member = ""
  private var parts: [String] = []

  /// The members by interface.
  static func interfaces(_ xml: String) throws -> [String: Set<String>] {
    let introspection = Introspection()
    let parser = XMLParser(data: Data(xml.utf8))
    parser.delegate = introspection
    guard parser.parse() else { throw UnmetCondition("XML: \(String(describing: parser.parserError))") }
    return introspection.interfaces
  }

  /// The member's name in such a line.
  static func name(_ member: String) -> String {
    String(member.split(separator: " ")[1].dropLast())
  }

  /// `property Name: type` if the line is a property's.
  static func property(_ member: String) -> String? {
    guard member.hasPrefix("property ") else { return nil }
    return member.split(separator: " ").prefix(3).joined(separator: " ")
  }

  // MARK: XMLParserDelegate

  func parser(
    _ parser: XMLParser, didStartElement element: String, namespaceURI: String?, qualifiedName: String?,
    attributes: [String: String]
  ) {
    let name = attributes["name"] ?? ""
    let type = attributes["type"] ?? ""
    switch element {
    case "interface": interface = name
    case "method", "signal": begin(element, name)
    case "property":
      begin(element, name)
      parts = [type, attributes["access"] ?? ""]
    case "arg":
      let direction = attributes["direction"] ?? (member.hasPrefix("method") ? "in" : "out")
      parts.append("\(direction) \(type) \(name)")
    case "annotation": parts.append("\(name)=\(attributes["value"] ?? "")")
    default: break
    }
  }

  func parser(_ parser: XMLParser, didEndElement element: String, namespaceURI: String?, qualifiedName: String?) {
    switch element {
    case "method", "signal", "property":
      interfaces[interface, default: []].insert("\(member): \(parts.joined(separator: " "))")
    default: break
    }
  }

  private func begin(_ kind: String, _ name: String) {
    member = "\(kind) \(name)"
    parts = []
  }
}
