// SPDX-License-Identifier: Apache-2.0

// Measures the file store of threads without a service. bench.py runs it and makes rows of its output.
//
//   thread-bench fill DIRECTORY COUNT      creates COUNT threads
//   thread-bench list DIRECTORY            the first listing of a process, and the median of the next 15: milliseconds
//   thread-bench append DIRECTORY TURNS    the median of 100 appends to a thread of TURNS turns: microseconds
//   thread-bench open DIRECTORY MEGABYTES  the median of 7 readings of a thread of that size: milliseconds

import ChappieSDK
import ChappieSDKRuntime
import GLibBridge
import SecretMemory

/// A key that is the same for each process of a measurement.
struct BenchKey: ThreadKeySource {
  func existingKey(interaction: UserInteraction) async throws -> SecretBytes? {
    try await key(interaction: interaction)
  }

  func key(interaction: UserInteraction) async throws -> SecretBytes {
    SecretBytes(repeatElement(7, count: AEAD.keyLength))
  }

  func destroy() {}
}

@main
enum ThreadBench {
  private static let start = ChappieTime(unixSeconds: 0)

  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count >= 3 else { fatalError("usage: thread-bench fill|list|append|open DIRECTORY [NUMBER]") }
    let store = ChappieFileThreadStore(
      directory: arguments[2], device: { "bench" }, keys: BenchKey(), retention: .unlimited, round: nil)
    let number = arguments.count > 3 ? Int(arguments[3]) ?? 0 : 0
    switch arguments[1] {
    case "fill": try await fill(store, number)
    case "list": try await list(store)
    case "append": try await append(store, number)
    case "open": try await open(store, number)
    default: fatalError("there is no \(arguments[1])")
    }
  }

  private static func fill(_ store: ChappieFileThreadStore, _ count: Int) async throws {
    for number in 0..<count {
      try await store.create(
        ChappieThreadSummary(
          id: "n\(number)", title: "What was asked first in the conversation with the number \(number)",
          createdAt: ChappieTime(unixSeconds: Int64(number)), updatedAt: ChappieTime(unixSeconds: Int64(number))))
    }
  }

  private static func list(_ store: ChappieFileThreadStore) async throws {
    let cold = try await milliseconds { _ = try await store.threads(ChappieThreadQuery()) }
    let warm = try await median(15) { _ = try await store.threads(ChappieThreadQuery()) }
    print(cold, warm)
  }

  private static func append(_ store: ChappieFileThreadStore, _ turns: Int) async throws {
    let thread = "turns-\(turns)"
    // The measurement made the thread longer.
    if turns < 1_000 { try? await store.delete(thread) }
    if (try? await store.thread(thread)) == nil {
      try await store.create(ChappieThreadSummary(id: thread, createdAt: start, updatedAt: start))
      for number in 0..<turns { try await store.append(turn(number, length: 500), to: thread) }
    }
    var number = 0
    print(
      1000
        * (try await median(100) {
          number += 1
          try await store.append(turn(number, length: 500), to: thread)
        }))
  }

  private static func open(_ store: ChappieFileThreadStore, _ megabytes: Int) async throws {
    let thread = "megabytes-\(megabytes)"
    if (try? await store.thread(thread)) == nil {
      try await store.create(ChappieThreadSummary(id: thread, createdAt: start, updatedAt: start))
      for number in 0..<(megabytes * 256) { try await store.append(turn(number, length: 3_600), to: thread) }
    }
    print(try await median(7) { _ = try await store.thread(thread) })
  }

  /// A question and an answer of so many bytes, with the other events of a turn.
  private static func turn(_ number: Int, length: Int) -> ChappieTurn {
    let sentence = "It is 3 km from here, and the bus goes at noon.\n"
    return ChappieTurn(
      id: "\(number)", recordedAt: ChappieTime(unixSeconds: Int64(number)),
      events: [
        .input(.user("How far is it, for the time with the number \(number)?")),
        .output(
          text: String(repeating: sentence, count: length / sentence.utf8.count), model: "model",
          responseID: "resp_\(number)"),
      ])
  }

  private static func median(_ count: Int, _ body: () async throws -> Void) async throws -> Double {
    var times: [Double] = []
    for _ in 0..<count { times.append(try await milliseconds(body)) }
    return times.sorted()[count / 2]
  }

  private static func milliseconds(_ body: () async throws -> Void) async throws -> Double {
    let duration = try await ContinuousClock().measure { try await body() }
    return duration / .milliseconds(1)
  }
}
