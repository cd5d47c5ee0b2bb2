// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

/// The sandbox of a tool server.
///
/// Bubblewrap gives the server namespaces of its own: no network unless it was allowed, no bus, no display, no other
/// process, and of the files the system's programs and libraries, the server's own program, and the named directories.
package enum ToolBox {
  package static let bubblewrap = "/usr/bin/bwrap"
  /// The most processes and threads of a server.
  private static let taskLimit = 256
  /// The longest file that a server writes, in bytes.
  private static let fileLimit = 1 << 30
  /// The most bytes of files in memory: each of `/tmp`, `/dev/shm` and the empty home.
  private static let memoryFileLimit = 256 << 20

  /// The whole command for a server.
  ///
  /// The configuration is checked here too: since it was added, its file may have been edited, and a directory may have
  /// become a link to another one.
  ///
  /// - Throws: ``ChappieMCPError/notStarted(_:)`` for a configuration that no server may have, and when the program, a
  ///   directory or the sandbox is missing.
  package static func command(for configuration: ChappieMCPConfiguration) throws(ChappieMCPError) -> [String] {
    do {
      try configuration.check()
    } catch {
      throw ChappieMCPError(error)
    }
    guard let program = configuration.program else {
      throw .notStarted("there is no program '\(ForeignText.line(configuration.command.first ?? ""))'")
    }
    let command = [program] + configuration.command.dropFirst()
    guard case .boxed(let network, let directories) = configuration.box else {
      // It ends with the program that started it, as in a box.
      return ["/usr/bin/setpriv", "--pdeathsig", "KILL", "--"] + command
    }
    guard Files.exists(bubblewrap) else {
      throw .notStarted("bubblewrap is not installed: install it, or add the server with --unboxed")
    }
    let limits = [
      "/usr/bin/prlimit", "--nproc=\(taskLimit)", "--fsize=\(fileLimit)", "--core=0", "--nofile=1024", "--",
    ]
    let binds = directories.flatMap { [$0.isWritable ? "--bind" : "--ro-bind", $0.path, $0.path] }
    let workplace = configuration.directory ?? directories.first?.path ?? Directories.home
    return [bubblewrap] + isolation + (network ? ["--share-net"] : []) + system + (network ? networkFiles : [])
      + memoryFiles(at: Directories.home) + readablePaths(of: program).flatMap { ["--ro-bind", $0, $0] } + binds
      + ["--remount-ro", "/proc", "--remount-ro", "/dev", "--remount-ro", "/", "--chdir", workplace, "--"] + limits
      + command
  }

  /// An empty directory in memory.
  private static func memoryFiles(at path: String) -> [String] { ["--size", "\(memoryFileLimit)", "--tmpfs", path] }

  /// The environment of a server, with the variables of its own.
  package static func environment(adding own: [String: String]) -> [String: String] {
    var result = [
      "PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": Directories.home, "TMPDIR": "/tmp", "TERM": "dumb",
    ]
    for name in ["LANG", "LC_ALL", "LOGNAME", "USER", "TZ"] { result[name] = CurrentProcess.environment(name) }
    return result.merging(own) { $1 }
  }

  private static let isolation = [
    "--unshare-all", "--unshare-user", "--disable-userns", "--hostname", "tools", "--cap-drop", "ALL",
    "--die-with-parent", "--new-session",
  ]

  private static let system =
    ["--ro-bind", "/usr", "/usr"]
    + ["bin", "sbin", "lib", "lib64"].flatMap { ["--symlink", "usr/\($0)", "/\($0)"] }
    + ["ld.so.cache", "alternatives", "passwd", "group", "mime.types"].flatMap(readable) + timeZone
    + ["--proc", "/proc", "--dev", "/dev"] + memoryFiles(at: "/dev/shm") + memoryFiles(at: "/tmp")

  /// Programs read the name of the zone from the link.
  private static let timeZone =
    Files.realPath(of: "/etc/localtime").map { ["--symlink", $0, "/etc/localtime"] } ?? []

  private static let networkFiles =
    ["resolv.conf", "hosts", "nsswitch.conf", "ssl", "ca-certificates", "pki"].flatMap(readable)

  private static func readable(_ name: String) -> [String] { ["--ro-bind-try", "/etc/\(name)", "/etc/\(name)"] }

  /// The paths outside of `/usr` that a program itself needs, which a box shows for reading: its file, and the Python
  /// environment, the Python or the Node packages that the file belongs to.
  package static func readablePaths(of program: String) -> [String] {
    let target = Files.realPath(of: program) ?? program
    // "~/.local/bin/name" may be a link to "~/.local/share/pipx/venvs/name/bin/name".
    var paths = [program, target]
    for file in [program, target] {
      paths += environment(of: file)
      let parts = file.split(separator: "/")
      if let last = parts.firstIndex(of: "node_modules") { paths.append("/" + parts[...last].joined(separator: "/")) }
    }
    paths += pythonPrefix(of: target)
    return paths.reduce(into: []) { known, path in
      // A server that can write its environment could name the home directory there.
      let isNamed =
        path == program || path == target
        || ChappieMCPConfiguration.Directory(path: path, isWritable: false).problem == nil
      let isOfSystem = path == "/usr" || path.hasPrefix("/usr/") || path.hasPrefix("/bin/")
      if isNamed, !isOfSystem, !known.contains(path) { known.append(path) }
    }
  }

  /// The directory above that of a file.
  private static func prefix(of file: String) -> String {
    "/" + file.split(separator: "/").dropLast(2).joined(separator: "/")
  }

  /// The Python environment of a program, and the Python that it was made with.
  private static func environment(of program: String) -> [String] {
    let environment = prefix(of: program)
    guard let settings = try? Files.read(environment + "/pyvenv.cfg", limit: 4096) else { return [] }
    let python = Files.realPath(of: environment + "/bin/python").map(pythonPrefix) ?? []
    return [environment] + python + interpreter(settings)
  }

  /// The directory of a Python that is installed below the home directory, such as that of pyenv or uv.
  private static func pythonPrefix(of file: String) -> [String] {
    let directory = prefix(of: file)
    let name = file.split(separator: "/").last ?? ""
    // "~/.local" holds more than a Python.
    guard name.hasPrefix("python"), !directory.hasSuffix("/.local"), directory != Directories.home,
      Files.exists("\(directory)/lib/\(name)")
    else { return [] }
    return [directory]
  }

  /// The directory of the Python that an environment was made with.
  private static func interpreter(_ settings: [UInt8]) -> [String] {
    let lines = String(decoding: settings, as: UTF8.self).split(whereSeparator: \.isNewline)
    return lines.compactMap { line in
      // "home = /usr/bin"
      let words = line.split(separator: " ")
      guard words.count == 3, words[0] == "home", words[2].hasPrefix("/"), words[2].hasSuffix("/bin") else {
        return nil
      }
      let directory = String(words[2].dropLast(4))
      return directory.hasSuffix("/.local") || directory == Directories.home ? nil : directory
    }
  }
}
