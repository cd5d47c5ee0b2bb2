// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import Glibc
import Platform

/// A turn on a socket of its own, as its caller sees it.
@GLibActor
final class Line {
  let turn: Turn
  let socket: StreamSocket
  private let descriptor: Descriptor
  private let reader: LineReader
  /// The events so far.
  private(set) var events: [ChappieJSONValue] = []

  init(_ turn: Turn, _ descriptor: Descriptor) throws {
    self.turn = turn
    self.descriptor = descriptor
    socket = try StreamSocket(descriptor)
    reader = LineReader(socket, limit: 64 << 20)
  }

  func write(_ text: String) {
    socket.send { $0 += text.utf8 }
  }

  func write(_ line: ChappieJSONValue) {
    write(line.json + "\n")
  }

  /// Shuts the socket down for writing.
  func endOutput() {
    shutdown(descriptor.number, Int32(SHUT_WR))
  }

  /// The next event; nil at the end of the stream.
  func next() async throws -> ChappieJSONValue? {
    guard let line = try await withDeadline(patience, { [reader] in try await reader.next() }) else { return nil }
    let event = try ChappieJSONValue(json: String(decoding: line, as: UTF8.self))
    events.append(event)
    return event
  }

  /// The next event of this name.
  func next(_ name: String) async throws -> ChappieJSONValue {
    while let event = try await next() {
      if event.name == name { return event }
    }
    throw UnmetCondition("the event \(name); there were \(events.compactMap(\.name))")
  }

  /// Reads to the end of the stream, and returns the last event.
  func end() async throws -> ChappieJSONValue {
    while try await next() != nil {}
    return try #require(events.last)
  }

  /// The text of all deltas so far.
  var text: String {
    events.filter { $0.name == "text-delta" }.compactMap { $0["text"]?.stringValue }.joined()
  }
}

extension ChappieJSONValue {
  /// The name of an event.
  var name: String? { self["event"]?.stringValue }

  /// The text of a member.
  func text(_ key: String) -> String? { self[key]?.stringValue }

  /// The error of a failure, without its prefix.
  var errorName: String? { text("error")?.replacing("org.chappie.Error.", with: "") }
}

extension Caller {
  func openTurn(_ options: VariantDictionary = [:], at path: ObjectPath = .chappie) async throws -> Line {
    try await openTurn("Client", .tuple(options), at: path)
  }

  func openTurn(in thread: String, _ options: VariantDictionary = [:], at path: ObjectPath = .chappie) async throws
    -> Line
  {
    try await openTurn("Threads", .tuple(thread, options), at: path)
  }

  private func openTurn(_ interface: String, _ arguments: Variant, at path: ObjectPath) async throws -> Line {
    let (reply, descriptors) = try await connection.callForDescriptors(
      "org.chappie", path, "org.chappie.\(interface)", "OpenTurn", arguments, timeout: patience)
    let id: String = try reply.member(0, "turn")
    return try Line(Turn(id: id, path: path, caller: self), try #require(descriptors.first))
  }

  /// Opens a turn and asks.
  func ask(_ text: String, _ options: VariantDictionary = [:], at path: ObjectPath = .chappie) async throws -> Line {
    let line = try await openTurn(options, at: path)
    line.write(["text": .string(text)])
    return line
  }
}
