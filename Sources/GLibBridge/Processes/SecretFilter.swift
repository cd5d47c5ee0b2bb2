// SPDX-License-Identifier: Apache-2.0
import CGLib
import Glibc
import SecretMemory

/// Runs a filter program that turns one secret into another: the program reads its standard input to the end and writes
/// its standard output.
///
/// Neither secret is in a file, an argument or the environment. The output is stored in guarded memory only.
@GLibActor
public enum SecretFilter {
  public struct Outcome: Sendable {
    public let succeeded: Bool
    public let output: SecretBytes
    /// The last line of the program's standard error.
    public let errorMessage: String
  }

  /// The longest input in bytes: a pipe accepts this much in one write.
  public nonisolated static let inputLimit = Int(PIPE_BUF)
  private nonisolated static let errorOutputLimit = 16 << 10

  /// Runs a program from the search path.
  ///
  /// - Parameters:
  ///   - input: at most ``inputLimit`` bytes.
  ///   - outputLimit: the longest output in bytes; longer output is an error.
  ///   - deadline: the longest run time; after it the program is killed.
  /// - Throws: ``GLibError`` when the program cannot be started or its output is too long; ``GLibError/timedOut``.
  public static func run(
    _ program: String, _ arguments: [String], input: SecretBytes, outputLimit: Int, deadline: Duration
  ) async throws -> Outcome {
    precondition(input.count <= inputLimit, "the input is longer than PIPE_BUF")
    let process = try FilterProcess([program] + arguments)
    let end = ContinuousClock.now + deadline
    defer { process.kill() }
    process.write(input)
    let read = await offActor(deadline: deadline) {
      // Output above the limit is not read any further.
      process.secretOutput(limit: outputLimit).map { ($0, process.secretErrors(limit: errorOutputLimit)) }
    }
    guard let read else { throw GLibError.timedOut }
    guard let (content, errorOutput) = read else {
      throw GLibError(domain: "chappie-filter", code: 0, message: "\(program) wrote more output than expected")
    }
    let succeeded = try await process.end(within: end - ContinuousClock.now)
    return Outcome(succeeded: succeeded, output: content, errorMessage: lastLine(errorOutput))
  }

  private nonisolated static func lastLine(_ text: SecretBytes?) -> String {
    let lines = text?.withBytes { String(decoding: $0, as: UTF8.self) }.split(whereSeparator: \.isNewline)
    return lines?.last.map(String.init) ?? "no reason given"
  }
}
