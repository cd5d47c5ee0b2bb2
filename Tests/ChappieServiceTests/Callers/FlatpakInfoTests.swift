// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import ChappieService

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
      ("[Application]\nname=org.example.App\n[Instance]\ninstance-id=\n", "names no instance"),
      ("[Application]\nname=org.example.App\n[Instance]\ninstance-id=../1\n", "names no instance"),
      ("[Application]\nname=org.example.App\n[Instance]\ninstance-id=..\n", "names no instance"),
      (
        "[Application]\nname=org.example.App\n[Instance]\ninstance-id=" + String(repeating: "1", count: 65) + "\n",
        "names no instance"
      ),
    ])
  func rejectsFilesWithoutAValidAppAndInstance(_ text: String, _ reason: String) {
    let error = #expect(throws: Unidentified.self) { try Self.read(text) }
    #expect(error?.reason.contains(reason) == true)
  }

  @Test func rejectsBytesThatAreNotUTF8() {
    #expect(throws: Unidentified.self) { try FlatpakInfo([0xFF, 0xFE, 0x00]) }
    #expect(throws: Unidentified.self) {
      try FlatpakInfo(Array("[Application]\nname=org.example.".utf8) + [0xC4, 0x0A])
    }
  }
}
