// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Runs a program to its end.
enum Program {
  static func isInstalled(_ name: String) -> Bool {
    (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin").split(separator: ":").contains {
      FileManager.default.isExecutableFile(atPath: "\($0)/\(name)")
    }
  }

  /// - Returns: its output; nil if it failed.
  static func run(_ arguments: String...) throws -> String? {
    try run(arguments)
  }

  /// - Returns: its output; nil if it failed.
  static func run(_ arguments: [String], environment: [String: String] = [:]) throws -> String? {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return process.terminationStatus == 0 ? String(decoding: text, as: UTF8.self) : nil
  }
}
