// SPDX-License-Identifier: Apache-2.0
import CGLib
import Glibc

@testable import GLibBridge

@Suite(.timeLimit(.minutes(10)))
@GLibActor
struct AsyncCallTests {
  /// Reads up to 16 bytes. `started` is finished when GIO has started the read.
  private func read(_ pipe: Pipe, deadline: Duration? = nil, started: Wait = Wait()) async throws -> Int {
    let bytes = try await asyncCall(deadline: deadline) { cancellable, callback, data in
      g_input_stream_read_bytes_async(pipe.stream, 16, G_PRIORITY_DEFAULT, cancellable, callback, data)
      started.finish()
    } finish: { result, error in
      g_input_stream_read_bytes_finish(pipe.stream, result, &error)
    }
    defer { g_bytes_unref(bytes) }
    return Int(g_bytes_get_size(bytes))
  }

  @Test func waitsForTheResult() async throws {
    let pipe = try Pipe()
    let started = Wait()
    let task = Task { @GLibActor in try await read(pipe, started: started) }
    await started.value()
    pipe.write([1, 2, 3])
    #expect(try await task.value == 3)
  }

  /// Before it begins, and while it lasts.
  @Test(arguments: [false, true]) func cancellingTheTaskCancelsTheCall(_ isEarly: Bool) async throws {
    let pipe = try Pipe()
    let (gate, started) = (Wait(), Wait())
    let task = Task { @GLibActor in
      if isEarly { await gate.value() }
      return try await read(pipe, deadline: .seconds(3600), started: started)
    }
    if !isEarly { await started.value() }
    task.cancel()
    gate.finish()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  /// The cancellable of one call must not affect the next call on the stream.
  @Test func throwsTimedOutAfterTheDeadlineAndLeavesTheStreamUsable() async throws {
    let pipe = try Pipe()
    await #expect(throws: GLibError.timedOut) { try await read(pipe, deadline: .milliseconds(1)) }
    pipe.write([1, 2])
    #expect(try await read(pipe, deadline: .seconds(3600)) == 2)
  }

  @Test func throwsTheErrorOfTheCall() async throws {
    let error = await #expect(throws: GLibError.self) { try await open("/nonexistent/file") }
    #expect(error?.isIO(G_IO_ERROR_NOT_FOUND) == true)
  }

  private func open(_ path: String) async throws {
    let file = g_file_new_for_path(path)
    defer { file.map { g_object_unref(UnsafeMutableRawPointer($0)) } }
    let stream = try await asyncCall { cancellable, callback, data in
      g_file_read_async(file, G_PRIORITY_DEFAULT, cancellable, callback, data)
    } finish: { result, error in
      g_file_read_finish(file, result, &error)
    }
    g_object_unref(stream)
  }

  @Test func concurrentCallsGetTheirOwnResults() async throws {
    let pipes = try (0..<50).map { _ in try Pipe() }
    let tasks = pipes.map { pipe in Task { @GLibActor in try await read(pipe) } }
    for (index, pipe) in pipes.enumerated().reversed() { pipe.write(Array(repeating: 1, count: index % 16 + 1)) }
    for (index, task) in tasks.enumerated() { #expect(try await task.value == index % 16 + 1) }
  }
}

/// A socket pair with a GIO input stream at one end.
@GLibActor
final class Pipe {
  let stream: UnsafeMutablePointer<GInputStream>
  private let connection: UnsafeMutablePointer<GSocketConnection>
  private let far: StreamSocket

  init() throws {
    let (far, end) = try StreamSocket.pair()
    let socket = try #require(g_socket_new_from_fd(dup(end.number), nil))
    connection = g_socket_connection_factory_create_connection(socket)
    g_object_unref(socket)
    stream = connection.withMemoryRebound(to: GIOStream.self, capacity: 1) { g_io_stream_get_input_stream($0) }
    self.far = far
  }

  isolated deinit {
    g_object_unref(connection)
  }

  func write(_ bytes: [UInt8]) { far.send { $0 += bytes } }
}
