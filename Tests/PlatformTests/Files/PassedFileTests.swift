// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import Platform

struct PassedFileTests {
  private func file(_ path: String, _ flags: Int32) throws -> PassedFile {
    let number = open(path, flags)
    try #require(number >= 0, "\(path)")
    return PassedFile(owning: number)
  }

  @Test func aFileIsReadFromItsStart() throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).txt").path
    defer { unlink(path) }
    try Data("words".utf8).write(to: URL(filePath: path))
    let file = try file(path, O_RDONLY)
    #expect(try file.size() == 5)
    #expect(try file.content(limit: 5) == Array("words".utf8))
    #expect(throws: FileError.tooLarge(limit: 4)) { try file.content(limit: 4) }
    #expect(try file.name() == URL(filePath: path).lastPathComponent)
    unlink(path)
    #expect(try file.name() == URL(filePath: path).lastPathComponent)
  }

  @Test(arguments: ["/", "/dev/null", "/dev/zero"]) func otherThingsAreNoFiles(_ path: String) throws {
    let file = try file(path, O_RDONLY)
    #expect(throws: FileError.notRegular) { try file.size() }
    #expect(throws: FileError.notRegular) { try file.content(limit: 9) }
  }

  /// A file system that does not answer would hold the thread that closes the file.
  @Test func aFileIsClosedElsewhere() async throws {
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    _ = PassedFile(owning: ends[1])
    var bytes: [UInt8] = [0]
    #expect(read(ends[0], &bytes, 1) == 0, "the end of the pipe comes with closing")
    close(ends[0])
  }
}
