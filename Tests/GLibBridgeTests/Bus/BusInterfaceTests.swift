// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import GLibBridge

struct BusInterfaceTests {
  private static let xml = """
    <node>
      <interface name="org.example.Test">
        <method name="Add">
          <arg name="a" type="i" direction="in"/>
          <arg name="b" type="i" direction="in"/>
          <arg name="sum" type="i" direction="out"/>
        </method>
        <method name="Nothing"/>
        <signal name="Added"><arg type="s"/><arg type="a{sv}"/></signal>
        <property name="Total" type="t" access="read"/>
        <property name="Owner" type="s" access="read">
          <annotation name="org.freedesktop.DBus.Property.EmitsChangedSignal" value="invalidates"/>
        </property>
      </interface>
      <interface name="org.example.Other"/>
    </node>
    """

  private func description() throws -> BusInterfaceDescription {
    try BusInterfaceDescription(xml: Self.xml, name: "org.example.Test")
  }

  @Test func describesItsMembers() throws {
    let interface = try description()
    #expect(interface.name == "org.example.Test")
    #expect(interface.methods == ["Add", "Nothing"])
    #expect(interface.replyType(of: "Add") == "(i)")
    #expect(interface.replyType(of: "Nothing") == "()")
    #expect(interface.argumentType(of: "Add") == "(ii)")
    #expect(interface.signalTypes == ["Added": "(sa{sv})"])
    #expect(interface.properties == ["Total", "Owner"])
    #expect(interface.announcesValue(ofProperty: "Total"))
    #expect(!interface.announcesValue(ofProperty: "Owner"))
    #expect(!interface.announcesValue(ofProperty: "Missing"))
    let empty = try BusInterfaceDescription(xml: Self.xml, name: "org.example.Other")
    #expect(empty.methods.isEmpty && empty.signalTypes.isEmpty && empty.properties.isEmpty)
  }

  @Test func throwsForOtherXML() {
    #expect(throws: GLibError.self) { try BusInterfaceDescription(xml: "<node>", name: "org.example.Test") }
    #expect(throws: GLibError.self) { try BusInterfaceDescription(xml: Self.xml, name: "org.example.Missing") }
  }

  // MARK: Handlers

  @Test @GLibActor func namesMissingAndUnknownHandlers() throws {
    _ = try BusImplementation(
      description(), methods: ["Add": { _ in .tuple() }, "Nothing": { _ in .tuple() }],
      properties: ["Total": { UInt64(0).variant }, "Owner": { "".variant }])
    let error = #expect(throws: GLibError.self) {
      try BusImplementation(
        description(), methods: ["Add": { _ in .tuple() }, "Surplus": { _ in .tuple() }],
        properties: ["Total": { UInt64(0).variant }])
    }
    #expect(error?.message.contains("Nothing, Surplus, Owner") == true, "\(error?.message ?? "")")
  }

  // MARK: Calls

  @GLibActor @Test func argumentsAreReadByPositionAndNamedInErrors() throws {
    let call = BusCall(
      sender: ":1.1", arguments: .tuple("text", UInt32(7)), allowsInteraction: false, replied: Wait())
    #expect(try call.argument(0) == "text")
    #expect(try call.argument(1, as: UInt32.self) == 7)
    #expect(throws: VariantError(key: "argument 2", expected: "s", found: "u")) {
      try call.argument(1, as: String.self)
    }
  }
}

struct BusNameTests {
  @Test(arguments: [
    ("org.chappie", true), ("a.b", true), ("org.example.App-1", true), ("_a._b", true), ("", false), (":1.42", false),
    ("org", false), (".org.a", false), ("org..a", false), ("org.a.", false), ("org.1a", false), ("org.a/b", false),
    ("org.ä", false), ("org.a\0b", false), ("org.a b", false), ("a.b." + String(repeating: "c", count: 252), false),
  ])
  func isWellKnown(_ name: String, _ isValid: Bool) {
    #expect(BusName.isWellKnown(name) == isValid)
  }
}
