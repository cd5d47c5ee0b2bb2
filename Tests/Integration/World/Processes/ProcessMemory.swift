// SPDX-License-Identifier: Apache-2.0

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
