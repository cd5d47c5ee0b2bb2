// SPDX-License-Identifier: Apache-2.0
@testable import ChappieService

struct CallerEvidenceTests {
  private static func mark(_ isRecorded: Bool) throws -> (info: FlatpakInfo, isRecorded: Bool) {
    let text = "[Application]\nname=org.example.App\n[Instance]\ninstance-id=1\n"
    return (try FlatpakInfo(Array(text.utf8)), isRecorded)
  }

  private static func reason(_ evidence: CallerEvidence) -> String? {
    #expect(throws: Unidentified.self) { try CallerIdentity(evidence) }?.reason
  }

  private static let app = AppID(flatpak: "org.example.App")
  private static let snap = AppID(snap: "example")

  @Test func aCallerWithoutAMarkIsUnsandboxed() throws {
    #expect(try CallerIdentity(CallerEvidence(sharesUserNamespace: true, sharesRoot: true)) == .unsandboxed)
    let labels = ["unconfined", "snap.code.code (complain)"]
    #expect(
      try CallerIdentity(CallerEvidence(labels: labels, sharesUserNamespace: true, sharesRoot: true)) == .unsandboxed)
  }

  /// A process in another user namespace or with another root may have hidden its Flatpak mark.
  @Test func rejectsAnUnmarkedCallerInAnotherNamespaceOrRoot() {
    let namespace = Self.reason(CallerEvidence(sharesUserNamespace: false, sharesRoot: true))
    #expect(namespace?.contains("user namespace") == true)
    #expect(Self.reason(CallerEvidence(sharesUserNamespace: false, sharesRoot: false)) == namespace)
    let root = Self.reason(CallerEvidence(sharesUserNamespace: true, sharesRoot: false))
    #expect(root?.contains("root directory") == true)
  }

  @Test(arguments: [true, false], [true, false])
  func aRecordedFlatpakMarkIsValidInEveryNamespace(_ sharesUserNamespace: Bool, _ sharesRoot: Bool) throws {
    let app = try #require(Self.app)
    let marked = CallerEvidence(
      flatpak: try Self.mark(true), sharesUserNamespace: sharesUserNamespace, sharesRoot: sharesRoot)
    #expect(try CallerIdentity(marked) == .sandboxed(app))
    let forged = CallerEvidence(
      flatpak: try Self.mark(false), sharesUserNamespace: sharesUserNamespace, sharesRoot: sharesRoot)
    #expect(Self.reason(forged)?.contains("did not write") == true)
  }

  @Test func theSnapLabelOverridesOtherEvidence() throws {
    let snap = try #require(Self.snap)
    let label = "snap.example.app (enforce)"
    let evidence = CallerEvidence(
      labels: [label, label], flatpak: try Self.mark(true), sharesUserNamespace: true, sharesRoot: false)
    #expect(try CallerIdentity(evidence) == .sandboxed(snap))
    // The label of the connection or the label of the process is enough.
    for labels in [[label], [label, "unconfined"], ["unconfined", label]] {
      let evidence = CallerEvidence(labels: labels, sharesUserNamespace: true, sharesRoot: true)
      #expect(try CallerIdentity(evidence) == .sandboxed(snap))
    }
    let two = CallerEvidence(labels: [label, "snap.other.app (enforce)"], sharesUserNamespace: true, sharesRoot: true)
    #expect(Self.reason(two)?.contains("two snaps") == true)
  }
}

struct AppArmorLabelTests {
  @Test(
    arguments: [
      "snap.firefox.firefox (enforce)", "snap.firefox.firefox (enforce)\n", "snap.firefox.hook.configure (enforce)",
      "snap.firefox.firefox//child (enforce)", "snap.firefox.firefox//&unconfined (mixed)",
      "snap.firefox.some.app (kill)", "snap.firefox.firefox",
    ])
  func returnsTheSnapOfAConfinedProcess(_ text: String) throws {
    #expect(try AppArmorLabel.snap(text) == AppID(snap: "firefox"))
    let withKey = text.replacing("snap.firefox.", with: "snap.firefox_work.")
    #expect(try AppArmorLabel.snap(withKey) == AppID(snap: "firefox_work"))
  }

  /// AppArmor does not confine classic snaps or snaps in developer mode.
  @Test(
    arguments: [
      "snap.code.code (complain)", "snap.code.code (unconfined)", "unconfined", "unconfined\n", "",
      "/usr/bin/evince (enforce)", "flatpak (unconfined)", "system_u:system_r:init_t:s0", "snapd (enforce)",
      "unconfined_u:unconfined_r:unconfined_t:s0-s0:c0.c1023",
    ])
  func returnsNoSnapForOtherLabels(_ text: String) throws {
    #expect(try AppArmorLabel.snap(text) == nil)
  }

  @Test(arguments: [
    "snap. (enforce)", "snap.firefox (enforce)", "snap.Fire.Fox (enforce)", "snap...", "snap.a/b.c (enforce)",
  ])
  func rejectsMalformedSnapLabels(_ text: String) {
    #expect(throws: Unidentified.self) { try AppArmorLabel.snap(text) }
  }
}

struct FlatpakInfoTests {
  private static func read(_ text: String) throws(Unidentified) -> FlatpakInfo {
    try FlatpakInfo(Array(text.utf8))
  }

  /// The file has the format of Flatpak 1.14.
  @Test func parsesAppAndInstance() throws {
    let info = try Self.read(
      """
      [Application]
      name=org.example.App
      runtime=runtime/org.example.Platform/x86_64/1

      [Instance]
      instance-id=2159362411
      instance-path=/home/ada/.var/app/org.example.App
      flatpak-version=1.14.10
      session-bus-proxy=true

      [Session Bus Policy]
      org.chappie=talk

      """)
    #expect(info.appID == AppID(flatpak: "org.example.App"))
    #expect(info.record(in: "/run/user/1000") == "/run/user/1000/.flatpak/2159362411/info")
  }

  @Test(
    arguments: [
      ("", "names no app"), ("name=org.example.App\n", "no key file"), ("\u{0}\u{1}", "names no app"),
      ("[Application]\n", "names no app"), ("[Application]\nname=\n", "names no app"),
      ("[Application]\nname=../../etc\n", "names no app"), ("[Application]\nname=snap.firefox\n", "names no app"),
      ("[Runtime]\nname=org.example.Platform\n", "names no app"),
      ("[Application]\nname=org.example.App\n", "names no instance"),
    ])
  func rejectsFilesWithoutAnApp(_ text: String, _ reason: String) {
    let error = #expect(throws: Unidentified.self) { try Self.read(text) }
    #expect(error?.reason.contains(reason) == true)
  }

  @Test(arguments: ["", "../1", "..", String(repeating: "1", count: 65)])
  func rejectsOtherInstances(_ id: String) {
    let text = "[Application]\nname=org.example.App\n[Instance]\ninstance-id=\(id)\n"
    let error = #expect(throws: Unidentified.self) { try Self.read(text) }
    #expect(error?.reason.contains("names no instance") == true)
  }

  @Test func rejectsBytesThatAreNotUTF8() {
    #expect(throws: Unidentified.self) { try FlatpakInfo([0xFF, 0xFE, 0x00]) }
    #expect(throws: Unidentified.self) {
      try FlatpakInfo(Array("[Application]\nname=org.example.".utf8) + [0xC4, 0x0A])
    }
  }
}
