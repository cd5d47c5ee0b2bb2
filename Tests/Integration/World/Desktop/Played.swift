// SPDX-License-Identifier: Apache-2.0

extension BusImplementation {
  /// An interface of a program that a test plays. Members are declared as `Name types -> types of the reply`.
  static func played(
    _ name: String, _ methods: [String: Method] = [:], _ properties: [String: Property] = [:], signals: [String] = []
  ) throws -> BusImplementation {
    let members =
      methods.keys.map { $0.member("method", "in", "out") }
      + properties.keys.map { $0.member("property", "", "") } + signals.map { $0.member("signal", "out", "") }
    let xml = #"<node><interface name="\#(name)">\#(members.joined())</interface></node>"#
    return try BusImplementation(
      BusInterfaceDescription(xml: xml, name: name), methods: methods.byName, properties: properties.byName)
  }
}

extension BusObject {
  /// An object of a program that a test plays.
  static func played(
    _ connection: BusConnection, _ path: ObjectPath, _ implementations: BusImplementation...
  ) throws -> BusObject {
    try BusObject(connection, path, implementations, rights: .init { _ in }) { error in
      error as? BusError ?? BusError(name: "org.freedesktop.DBus.Error.Failed", message: "\(error)")
    }
  }
}

extension String {
  fileprivate var memberName: String { String(prefix { $0 != " " }) }

  /// The XML of a member, with the directions of its types before and after the arrow.
  fileprivate func member(_ kind: String, _ first: String, _ second: String) -> String {
    let halves = dropFirst(memberName.count).split(omittingEmptySubsequences: false) { "->".contains($0) }
    let types = (halves.first ?? "").split(separator: " ")
    guard kind != "property" else {
      return #"<property name="\#(memberName)" type="\#(types.joined())" access="read"/>"#
    }
    let outputs = (halves.count > 1 ? halves[halves.count - 1] : "").split(separator: " ")
    let arguments =
      types.map { #"<arg type="\#($0)" direction="\#(first)"/>"# }
      + outputs.map { #"<arg type="\#($0)" direction="\#(second)"/>"# }
    return #"<\#(kind) name="\#(memberName)">\#(arguments.joined())</\#(kind)>"#
  }
}

extension Dictionary where Key == String {
  fileprivate var byName: Self { Dictionary(uniqueKeysWithValues: map { ($0.key.memberName, $0.value) }) }
}

extension ObjectPath {
  /// The path that belongs to a name, such as `/org/chappie`.
  static func named(_ name: String) -> ObjectPath {
    name.split(separator: ".").reduce(.root) { $0.appending(String($1)) }
  }
}
