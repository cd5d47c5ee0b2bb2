import Foundation
import Testing

/// What a terminal shows after it has got some frames, by the emulator of python3-pyte.
struct ReplayedTerminal: Decodable {
  /// The lines that scrolled away, and those of the screen.
  let lines: [String]
  /// The number of frames that changed something above the last empty line.
  let above: Int

  var text: String { lines.map { $0 + "\n" }.joined() }

  private struct Task: Encodable {
    let columns: Int
    let rows: Int
    let frames: [String]
    let watch: Bool
  }

  /// - Parameter watch: whether to compare the lines after each frame.
  static func showing(_ frames: [String], columns: Int, rows: Int = 24, watch: Bool = false) throws -> ReplayedTerminal
  {
    let script = try #require(Bundle.module.path(forResource: "terminal", ofType: "py"))
    let process = Process()
    let (input, output) = (Pipe(), Pipe())
    process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
    process.arguments = [script]
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    let task = try JSONEncoder().encode(Task(columns: columns, rows: rows, frames: frames, watch: watch))
    try input.fileHandleForWriting.write(contentsOf: task)
    try input.fileHandleForWriting.close()
    let answer = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return try JSONDecoder().decode(ReplayedTerminal.self, from: answer)
  }
}
