// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

/// The usage of an account's thread store, as `org.chappie.Threads` reports it.
struct ThreadStoreUsage {
  private let values: VariantDictionary
  let used: UInt64
  let limit: UInt64
  let count: UInt32
  let archivedCount: UInt32
  let unreadableCount: UInt32

  init(_ values: VariantDictionary) throws {
    self.values = values
    used = try values.value("used_bytes") ?? 0
    limit = try values.value("limit_bytes") ?? 0
    count = try values.value("thread_count") ?? 0
    archivedCount = try values.value("archived_count") ?? 0
    unreadableCount = try values.value("unreadable_count") ?? 0
  }

  var isEmpty: Bool { count == 0 && unreadableCount == 0 }

  var text: String {
    let used = ByteCount(bytes: used).text
    let size =
      limit == 0
      ? tr("\(used), without a limit")
      : UsageBar(percent: Double(self.used) * 100 / Double(limit)).text + "  "
        + tr("\(used) of \(ByteCount(bytes: limit).text)", context: "size")
    let counts = tr(
      Int(count), one: "\(count) thread, \(archivedCount) archived",
      other: "\(count) threads, \(archivedCount) archived")
    return ([size, counts] + [unreadable].compactMap(\.self)).map { $0 + "\n" }.joined()
  }

  private var unreadable: String? {
    guard unreadableCount > 0 else { return nil }
    return tr(
      Int(unreadableCount),
      one: "\(unreadableCount) cannot be read on this device: chappie threads delete --all removes it too",
      other: "\(unreadableCount) cannot be read on this device: chappie threads delete --all removes them too")
  }

  var json: JSONObject {
    JSONObject(["used_bytes", "limit_bytes", "thread_count", "archived_count", "unreadable_count"], of: values)
  }
}
