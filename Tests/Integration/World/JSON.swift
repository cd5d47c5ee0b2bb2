// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A JSON object of strings.
func json(_ object: [String: String]) -> String {
  let data = try? JSONEncoder().encode(object)
  return data.map { String(decoding: $0, as: UTF8.self) } ?? "null"
}
