// SPDX-License-Identifier: Apache-2.0
import Glibc
import Testing

@testable import Platform

struct ProcessHandleTests {
  @Test func knowsItsProcess() throws {
    #expect(try #require(ProcessHandle(getpid())).processID == getpid())
    #expect(try #require(ProcessHandle(getppid())).processID == getppid())
  }

  @Test func aDescriptorThatIsNoPidfdHasNoProcess() throws {
    let file = try #require(Descriptor(owning: open("/proc/self/stat", O_RDONLY)))
    #expect(ProcessHandle(file).processID == nil)
  }
}
