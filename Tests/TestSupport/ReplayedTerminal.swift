// SPDX-License-Identifier: Apache-2.0
import Foundation

/// What a terminal shows after it has got some frames, by the emulator of python3-pyte.
package struct ReplayedTerminal: Decodable {
  /// The lines that scrolled away, and those of the screen.
  package let lines: [String]

  package var text: String { lines.map { $0 + "\n" }.joined() }

  private struct Task: Encodable {
    let columns: Int
    let rows: Int
    let frames: [String]
  }

  package static func showing(_ frames: [String], columns: Int, rows: Int = 24) throws -> ReplayedTerminal {
    let process = Process()
    let (input, output) = (Pipe(), Pipe())
    process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
    process.arguments = ["-c", script]
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    let task = try JSONEncoder().encode(Task(columns: columns, rows: rows, frames: frames))
    try input.fileHandleForWriting.write(contentsOf: task)
    try input.fileHandleForWriting.close()
    let answer = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return try JSONDecoder().decode(ReplayedTerminal.self, from: answer)
  }

  private static let script = #"""
    import json
    import sys

    import pyte

    class Screen(pyte.HistoryScreen):
        def draw(self, data):
            # pyte drops what follows a character without a width that is no combining mark, such as a joiner.
            for character in data:
                super().draw(character)


    task = json.load(sys.stdin)
    screen = Screen(task["columns"], task["rows"], history=1_000_000, ratio=0.5)
    # A terminal begins a new line at its start, as its driver writes a carriage return before each line feed.
    screen.set_mode(pyte.modes.LNM)
    stream = pyte.Stream(screen)


    def text(row):
        # pyte keeps an empty text for the second half of a wide character.
        return "".join(row[column].data for column in range(task["columns"])).rstrip()


    def lines():
        found = [text(row) for row in screen.history.top] + [text(screen.buffer[row]) for row in range(screen.lines)]
        while found and not found[-1]:
            found.pop()
        return found


    for frame in task["frames"]:
        stream.feed(frame)
    json.dump({"lines": lines()}, sys.stdout)
    """#
}
