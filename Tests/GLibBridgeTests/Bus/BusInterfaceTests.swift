// SPDX-License-Identifier: Apache-2.0
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
    </node>
    """

  private func description() throws -> BusInterfaceDescription {
    try BusInterfaceDescription(xml: Self.xml, name: "org.example.Test")
  }

  @Test func describesItsMembers() throws {
    let interface = try description()
    #expect(interface.methods == ["Add", "Nothing"])
    #expect(interface.replyType(of: "Add") == "(i)")
    #expect(interface.replyType(of: "Nothing") == "()")
    #expect(interface.argumentType(of: "Add") == "(ii)")
    #expect(interface.signalTypes == ["Added": "(sa{sv})"])
    #expect(interface.properties == ["Total", "Owner"])
    #expect(interface.announcesValue(ofProperty: "Total"))
    #expect(!interface.announcesValue(ofProperty: "Owner"))
    #expect(!interface.announcesValue(ofProperty: "Missing"))
  }

  @Test func throwsForOtherXML() {
    #expect(throws: GLibError.self) { try BusInterfaceDescription(xml: "<node>", name: "org.example.Test") }
    #expect(throws: GLibError.self) { try BusInterfaceDescription(xml: Self.xml, name: "org.example.Missing") }
  }

  @Test @GLibActor func namesMissingAndUnknownHandlers() throws {
    _ = try BusImplementation(
      description(), methods: ["Add": { _ in .tuple() }, "Nothing": { _ in .tuple() }],
      properties: ["Total": { _ in UInt64(0).variant }, "Owner": { _ in "".variant }])
    let error = #expect(throws: GLibError.self) {
      try BusImplementation(
        description(), methods: ["Add": { _ in .tuple() }, "Surplus": { _ in .tuple() }],
        properties: ["Total": { _ in UInt64(0).variant }])
    }
    #expect(error?.message.contains("Nothing, Surplus, Owner") == true, "\(error?.message ?? "")")
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
