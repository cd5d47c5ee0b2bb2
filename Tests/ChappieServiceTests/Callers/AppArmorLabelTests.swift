// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import ChappieService

struct AppArmorLabelTests {
  @Test(
    arguments: [
      "snap.firefox.firefox (enforce)", "snap.firefox.firefox (enforce)\n", "snap.firefox.hook.configure (enforce)",
      "snap.firefox.firefox//child (enforce)", "snap.firefox.firefox//&unconfined (mixed)",
      "snap.firefox.some.app (kill)", "snap.firefox.firefox",
    ])
  func returnsTheSnapOfAConfinedProcess(_ text: String) throws {
    #expect(try AppArmorLabel.snap(text) == AppID(snap: "firefox"))
  }

  @Test func keepsTheInstanceKeyOfASnap() throws {
    #expect(try AppArmorLabel.snap("snap.firefox_work.firefox (enforce)") == AppID(snap: "firefox_work"))
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
