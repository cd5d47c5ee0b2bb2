// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

/// A line of `chappie threads list --json`.
struct ListedThread: Decodable {
  let id: String
  let title: String
  let createdAt: Int64
  let updatedAt: Int64
  let archived: Bool
  let turnCount: Int
  let bytes: Int

  /// A short form of the id, as a person types it.
  var short: String { String(id.prefix(8)) }
}

extension World {
  /// The threads that `chappie` lists.
  func listedThreads(archived: Bool = false) async throws -> [ListedThread] {
    let output = try await archived ? chappie("threads", "--json", "--archived") : chappie("threads", "list", "--json")
    #expect(output.status == 0, "\(output.text)")
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return try output.text.split(separator: "\n").map {
      try decoder.decode(ListedThread.self, from: Data($0.utf8))
    }
  }

  /// Creates a thread with a question, and returns its id.
  func beginThread(_ text: String) async throws -> String {
    let output = try await chappie("ask", "--thread", "new", "--json", text)
    #expect(output.status == 0, "\(output.text)")
    return try JSONDecoder().decode(Begun.self, from: Data(output.text.utf8)).thread
  }

  private struct Begun: Decodable {
    let thread: String
  }
}
