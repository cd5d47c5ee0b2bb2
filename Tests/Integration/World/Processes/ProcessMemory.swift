// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The memory of a process, as a debugger reads it.
enum ProcessMemory {
  /// All readable memory except mapped files, by address and the kernel's name for it.
  static func parts(of process: pid_t) throws -> [String: Data] {
    let maps = try String(contentsOfFile: "/proc/\(process)/maps", encoding: .utf8)
    let memory = try FileHandle(forReadingFrom: URL(filePath: "/proc/\(process)/mem"))
    var parts: [String: Data] = [:]
    for map in maps.split(separator: "\n").compactMap({ Map($0) }) where map.mayHoldSecrets {
      try memory.seek(toOffset: map.range.lowerBound)
      // Memory that was freed meanwhile cannot be read.
      parts[map.name] = try? memory.read(upToCount: map.range.count)
    }
    return parts
  }

  /// A line of `maps`, such as `7f00-7f80 rw-p 00000000 00:00 0 [heap]`.
  private struct Map {
    let range: Range<UInt64>
    let name: String
    private let rights: Substring
    private let isFile: Bool

    init?(_ line: Substring) {
      let fields = line.split(separator: " ", maxSplits: 5)
      let bounds = fields[0].split(separator: "-").compactMap { UInt64($0, radix: 16) }
      guard fields.count >= 5, bounds.count == 2 else { return nil }
      range = bounds[0]..<bounds[1]
      rights = fields[1]
      isFile = fields[4] != "0"
      name = ([fields[0]] + fields.dropFirst(5)).joined(separator: " ")
    }

    /// The kernel's own pages cannot be read this way.
    var mayHoldSecrets: Bool {
      rights.hasPrefix("r") && !(isFile && !rights.contains("w")) && !name.contains("[v")
    }
  }
}
