// SPDX-License-Identifier: Apache-2.0
import Platform
import Testing

struct BootTimeTests {
  @Test func advances() {
    let first = BootTime.now
    let second = BootTime.now
    #expect(!first.bootID.isEmpty)
    #expect(first.bootID == second.bootID)
    #expect(first.seconds > 0)
    #expect(second.minimumSeconds(since: first) < 60)
  }

  @Test func returnsALowerBound() {
    let earlier = BootTime(bootID: "a", seconds: 1000)
    #expect(BootTime(bootID: "a", seconds: 1600).minimumSeconds(since: earlier) == 600)
    #expect(BootTime(bootID: "a", seconds: 10).minimumSeconds(since: earlier) == 0)
    // After a reboot only the time since boot is certain.
    #expect(BootTime(bootID: "b", seconds: 10).minimumSeconds(since: earlier) == 10)
    #expect(BootTime(bootID: "b", seconds: 5000).minimumSeconds(since: earlier) == 5000)
    // Unknown boot IDs may belong to different boots.
    #expect(BootTime(bootID: "", seconds: 10).minimumSeconds(since: BootTime(bootID: "", seconds: 1)) == 10)
  }
}
