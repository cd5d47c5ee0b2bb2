// SPDX-License-Identifier: Apache-2.0
import Foundation
import GLibBridge

/// Gives these tests access to the service's memory, which the service closes to its user's programs.
///
/// Root with `CAP_SYS_PTRACE` has access. For other users the tests start the service behind a seccomp filter in which
/// `prctl(PR_SET_DUMPABLE, …)` succeeds without effect, and everything else is unchanged. So every user who runs the
/// tests can search the service's memory, environment and descriptors.
enum MemoryAccess {
  private static let ptrace: UInt64 = 1 << 19

  /// The beginning of the service's command line.
  static let command: [String] = mayInspectAnyProcess ? [] : ["/usr/bin/python3", "-c", filter]

  /// The beginning for a line of a D-Bus service file, which is too short for a script.
  @GLibActor static func line(_ command: [String], in directories: WorldDirectories) throws -> String {
    guard !mayInspectAnyProcess else { return command.joined(separator: " ") }
    let script = directories.root.appending(path: "filter.py")
    try filter.write(to: script, atomically: true, encoding: .utf8)
    return (["/usr/bin/python3", script.path] + command).joined(separator: " ")
  }

  private static let mayInspectAnyProcess: Bool = {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("CapEff:") }
    guard let digits = line?.split(separator: "\t").last, let capabilities = UInt64(digits, radix: 16) else {
      return false
    }
    return capabilities & ptrace != 0
  }()

  /// Makes `prctl(PR_SET_DUMPABLE, …)` return 0 at once, and runs the program that its arguments name.
  private static let filter = """
    import ctypes, os, platform, struct, sys
    number = {'x86_64': 157, 'aarch64': 167}[platform.machine()]
    steps = [(0x20, 0, 0, 0), (0x15, 0, 3, number), (0x20, 0, 0, 16), (0x15, 0, 1, 4), (6, 0, 0, 0x50000),
             (6, 0, 0, 0x7fff0000)]
    code = ctypes.create_string_buffer(b''.join(struct.pack('HBBI', *step) for step in steps))
    program = ctypes.create_string_buffer(struct.pack('HxxxxxxQ', len(steps), ctypes.addressof(code)))
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(38, 1, 0, 0, 0)
    if libc.prctl(22, 2, program, 0, 0):
        sys.exit('the filter: ' + os.strerror(ctypes.get_errno()))
    os.execv(sys.argv[1], sys.argv[1:])
    """
}
