// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import ChappieService

struct AppIDTests {
  /// A Flatpak cannot take the id of a snap, because a Flatpak's id has at least three parts.
  @Test(arguments: [
    "org.example.App", "io.github.some_one.App-2", "a.b.c", "org.example.App.Devel", "snap.example.App",
    "a.b." + String(repeating: "c", count: 251),
  ])
  func acceptsValidFlatpakIDs(_ id: String) {
    #expect(AppID(flatpak: id)?.text == id)
    #expect(AppID(id)?.text == id)
    #expect(AppID(id)?.description == id)
  }

  @Test(
    arguments: [
      "", "App", "org.App", ".org.example", "org..example.App", "org.example.", "org.example.9App", "org.example.Äpp",
      "org.example.App/x", "../../etc.passwd", "org.example.App\n", "org.example.App ", "org.example.App;", ":1.2.3",
      "snap.firefox", "org.example.\0App", "a.b." + String(repeating: "c", count: 252),
    ])
  func rejectsInvalidFlatpakIDs(_ text: String) {
    #expect(AppID(flatpak: text) == nil)
  }

  @Test(arguments: [
    "firefox", "0ad", "a", "some-app", "firefox_work", String(repeating: "a", count: 40) + "_1234567890",
  ])
  func acceptsValidSnapNames(_ name: String) {
    #expect(AppID(snap: name)?.text == "snap." + name)
    #expect(AppID("snap." + name) == AppID(snap: name))
  }

  @Test(
    arguments: [
      "", "Firefox", "fire/fox", "..", "fire fox", "_", "firefox_", "_work", "a_b_c", "a_B", "ä", "example.App",
      "a_12345678901", String(repeating: "a", count: 41), "firefox\0",
    ])
  func rejectsInvalidSnapNames(_ name: String) {
    #expect(AppID(snap: name) == nil)
    #expect(AppID("snap." + name) == AppID(flatpak: "snap." + name))
  }
}
