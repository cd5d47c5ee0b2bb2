// SPDX-License-Identifier: Apache-2.0
import Glibc
import Testing

@testable import GLibBridge

@Suite(.timeLimit(.minutes(1)))
@GLibActor
struct BlockingWorkTests {
  @Test func runsOnAnotherThread() async {
    let here = pthread_self()
    let there = await offActor(deadline: .seconds(30)) { pthread_self() }
    #expect(there != nil)
    #expect(there != here)
  }

  /// The work waits for the actor. If the actor waited for the work, this would deadlock.
  @Test func doesNotBlockTheActor() async throws {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    let (reader, writer) = (ends[0], ends[1])
    defer { for end in ends { close(end) } }
    async let count: Int? = offActor(deadline: .seconds(30)) {
      var byte: UInt8 = 0
      return read(reader, &byte, 1)
    }
    try await sleep(for: .milliseconds(1))
    #expect(write(writer, "x", 1) == 1)
    #expect(await count == 1)
  }

  @Test func returnsNilAfterTheDeadline() async {
    var ends: [Int32] = [0, 0]
    #expect(pipe(&ends) == 0)
    let (reader, writer) = (ends[0], ends[1])
    let late = await offActor(deadline: .milliseconds(20)) {
      var byte: UInt8 = 0
      return read(reader, &byte, 1)
    }
    #expect(late == nil)
    // The thread ends after the work does.
    for end in [writer, reader] { close(end) }
  }
}
