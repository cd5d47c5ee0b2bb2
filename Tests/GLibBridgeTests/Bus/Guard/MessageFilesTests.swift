// SPDX-License-Identifier: Apache-2.0
import CGLib
import Glibc
import Synchronization

@testable import GLibBridge

/// The way of files from the socket to a call.
struct MessageFilesTests {
  private func file(_ text: String) throws -> Descriptor { try .sealed(Array(text.utf8)) }

  @Test func eachCallHasItsOwnFiles() throws {
    let reading = try GuardedBus()
    reading.files.open()
    reading.send(WireBytes.message(serial: 1))
    reading.send(WireBytes.message(serial: 2, descriptors: 1), try file("first"))
    // A reply loses its files.
    reading.send(WireBytes.message(kind: 2, replySerial: 9, descriptors: 1), try file("reply"))
    reading.send(WireBytes.message(serial: 3))
    reading.send(WireBytes.message(serial: 4, descriptors: 1), try file("second"))
    let tickets = try reading.tickets()
    try #require(tickets.count == 5 && reading.rejected.isEmpty)
    let contents = try tickets.map { try reading.files.take($0).map { try $0.content(limit: 10) } }
    #expect(contents == [[], [Array("first".utf8)], [], [], [Array("second".utf8)]])
    #expect(reading.files.take(tickets[1]).isEmpty, "they are taken once")
  }

  @Test func aCallWithoutItsFilesIsRejected() throws {
    let reading = try GuardedBus()
    reading.files.open()
    reading.send(WireBytes.message(serial: 1, descriptors: 2), try file("one of two"))
    reading.send(WireBytes.message(serial: 2, descriptors: 17), try file("one"))
    reading.send(WireBytes.message(serial: 3, descriptors: 1), try file("third"))
    let tickets = try reading.tickets()
    try #require(tickets.count == 1)
    #expect(try reading.files.take(tickets[0]).map { try $0.content(limit: 10) } == [Array("third".utf8)])
    #expect(
      reading.rejected == ["has file descriptors, and too many are in use", "has more than 16 file descriptors"])
  }

  @Test func nobodyTakesFilesBeforeThereIsAnInbox() throws {
    let reading = try GuardedBus()
    reading.send(WireBytes.message(serial: 1, descriptors: 1), try file("early"))
    #expect(try reading.tickets() == [1])
    #expect(reading.files.take(1).isEmpty)
  }

  // MARK: One file

  private func passed(_ path: String) throws -> PassedFile {
    let number = open(path, O_RDONLY)
    try #require(number >= 0, "\(path)")
    return PassedFile(owning: number)
  }

  @Test func aPassedFileIsReadFromItsStart() throws {
    let directory = try TemporaryDirectory()
    let file = try passed(directory.file("words.txt", Array("words".utf8)))
    #expect(try file.size() == 5)
    #expect(try file.content(limit: 5) == Array("words".utf8))
    #expect(throws: FileError.tooLarge(limit: 4)) { try file.content(limit: 4) }
    #expect(try file.name() == "words.txt")
    unlink(directory.path + "/words.txt")
    #expect(try file.name() == "words.txt")
  }

  @Test(arguments: ["/", "/dev/null", "/dev/zero"]) func otherThingsAreNoPassedFiles(_ path: String) throws {
    let file = try passed(path)
    #expect(throws: FileError.notRegular) { try file.size() }
    #expect(throws: FileError.notRegular) { try file.content(limit: 9) }
  }

  /// A file system that does not answer would hold the thread that closes the file.
  @Test func aPassedFileIsClosedElsewhere() throws {
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    _ = PassedFile(owning: ends[1])
    var bytes: [UInt8] = [0]
    #expect(read(ends[0], &bytes, 1) == 0, "the end of the pipe comes with closing")
    close(ends[0])
  }
}

/// What the guard writes and rejects, read from a socket as GDBus does.
final class GuardedBus: Sendable {
  let files = MessageFiles()
  let bus: Descriptor
  nonisolated(unsafe) let input: UnsafeMutablePointer<GInputStream>
  private let stream: GuardedStream
  private let list = Rejections()
  var rejected: [String] { list.reasons.withLock(\.self) }

  init() throws {
    var ends: [Int32] = [-1, -1]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    bus = try #require(Descriptor(owning: ends[0]))
    let guarded = MessageGuard(files: files) { [list] message in
      list.reasons.withLock { $0.append("\(message.reason)") }
    }
    stream = GuardedStream(guarded)
    input = try #require(stream.makeStream(owning: ends[1]))
  }

  deinit {
    g_object_unref(input)
  }

  private final class Rejections: Sendable {
    let reasons = Mutex<[String]>([])
  }

  func send(_ message: [UInt8], _ file: Descriptor? = nil) {
    #expect(chappie_send(bus.number, message, message.count, file?.number ?? -1) == message.count)
  }

  /// At most `count` bytes that are there. None is the end; nil means that nothing has come.
  func read(_ count: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    let got = g_pollable_input_stream_read_nonblocking(OpaquePointer(input), &bytes, gsize(count), nil, nil)
    return got < 0 ? nil : Array(bytes.prefix(got))
  }

  /// The numbers of descriptors in the headers of all messages.
  func tickets() throws -> [UInt32] {
    var bytes: [UInt8] = []
    while let part = read(100_000), !part.isEmpty { bytes += part }
    var numbers: [UInt32] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      let head = try MessageHead(rest)
      numbers.append(try MessageFields(rest.prefix(head.headerLength), head.byteOrder).descriptorCount)
      rest = rest.dropFirst(head.length)
    }
    return numbers
  }
}
