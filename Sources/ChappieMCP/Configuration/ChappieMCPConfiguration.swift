// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import Platform

/// A server of the Model Context Protocol: a program that offers tools over its standard input and output.
public struct ChappieMCPConfiguration: Sendable, Hashable {
  /// 1 to 32 of the characters `A-Z`, `a-z`, `0-9`, `_` and `-`.
  public var name: String
  /// The program and its arguments. ``ChappieMCPServer`` takes them as they are; in `tools.json` they may hold variables
  /// such as `${HOME}`.
  public var command: [String]
  /// Variables for the program, beside the few that every server gets. In `tools.json` a value may contain `${VAR}`,
  /// `${VAR:-default}` and `${keyring:NAME}`.
  public var environment: [String: String]
  /// The working directory. With ``Box-swift.enum/boxed(network:directories:)`` it must be in one of the directories.
  public var directory: String?
  /// What the program may reach.
  public var box: Box
  /// The longest time from the start of the program to its list of tools.
  public var startTimeout: Duration
  /// The longest time in which a call shows no progress, from 1 to 3600 seconds. With progress it may take ten times as
  /// long.
  public var callTimeout: Duration

  /// What the program may reach.
  public enum Box: Sendable, Hashable {
    /// The program runs in a sandbox of bubblewrap. It reaches the network if `network` is true, and of the user's files
    /// those in `directories`.
    case boxed(network: Bool = false, directories: [Directory] = [])
    /// The program has the rights of the user.
    case unboxed
  }

  /// A directory that the sandbox contains.
  public struct Directory: Sendable, Hashable {
    /// The absolute path.
    public var path: String
    /// Whether the program may change what is in it.
    public var isWritable: Bool

    /// Creates a directory for the sandbox.
    public init(path: String, isWritable: Bool) {
      self.path = path
      self.isWritable = isWritable
    }
  }

  /// Creates a configuration. Nothing is checked before the server starts.
  public init(
    name: String, command: [String], environment: [String: String] = [:], directory: String? = nil,
    box: Box = .boxed(), startTimeout: Duration = .seconds(30), callTimeout: Duration = .seconds(60)
  ) {
    self.name = name
    self.command = command
    self.environment = environment
    self.directory = directory
    self.box = box
    self.startTimeout = startTimeout
    self.callTimeout = callTimeout
  }
}

extension ChappieMCPConfiguration {
  /// The bounds of ``callTimeout`` and ``startTimeout``, in seconds.
  package static let timeouts = 1...3600

  /// Whether a text can be the name of a server.
  package static func isName(_ text: String) -> Bool {
    (1...32).contains(text.utf8.count) && text.utf8.allSatisfy { $0.isNameByte || $0 == UInt8(ascii: "-") }
  }

  /// The absolute path of the program, by `PATH` where its name has no slash; nil if it does not exist.
  package var program: String? { command.first.flatMap { Program.path(of: $0) } }

  /// Variables from which the C library takes the names of libraries, beside those of the loader. They would load them
  /// into bubblewrap too, before it has made the sandbox.
  private static let loadingVariables = ["GCONV_PATH", "GLIBC_TUNABLES"]

  /// Checks what bubblewrap and the system's calls would take otherwise than the user means it.
  ///
  /// - Parameter directories: whether its directories are checked too. One may be gone for a while, such as that of a
  ///   disk: the server then does not start.
  /// - Throws: ``ToolsFileError``.
  package func check(directories checksDirectories: Bool = true) throws(ToolsFileError) {
    guard Self.isName(name) else {
      throw ToolsFileError(
        en("“\(name.terminalSafeLine)” is no name of a server: use 1 to 32 letters, digits, _ and -."))
    }
    guard command.first?.isEmpty == false else {
      throw ToolsFileError(en("“\(name)” has no command."))
    }
    let texts = command + environment.values + [directory ?? ""]
    guard !texts.contains(where: { $0.utf8.contains(0) }) else {
      throw ToolsFileError(en("“\(name)” has a text with the character U+0000."))
    }
    for variable in environment.keys.sorted() where !Variables.isName(variable) {
      throw ToolsFileError(
        en("“\(variable.terminalSafeLine)” of “\(name)” is no name of an environment variable."))
    }
    guard case .boxed(_, let directories) = box else { return }
    for variable in environment.keys.sorted()
    where variable.hasPrefix("LD_") || Self.loadingVariables.contains(variable) {
      throw ToolsFileError(
        en(
          """
          The variable \(variable) of “\(name)” would load code outside of the sandbox: set it in a script that starts \
          the server.
          """))
    }
    for directory in directories where checksDirectories {
      if let problem = directory.problem { throw ToolsFileError(problem) }
    }
    guard let place = directory, !directories.contains(where: { $0.contains(place) }) else { return }
    throw ToolsFileError(
      en(
        """
        The working directory \(place.terminalSafeLine) of “\(name)” is in none of its directories: name it with \
        --directory.
        """))
  }
}

extension ChappieMCPConfiguration.Directory {
  /// Reads `PATH` or `PATH:ro`. A path may begin with `~/`.
  package init(argument: String) {
    let path = argument.hasSuffix(":ro") ? String(argument.dropLast(3)) : argument
    let expanded = path == "~" || path.hasPrefix("~/") ? Directories.home + path.dropFirst() : path
    // An empty path would be the working directory.
    self.init(path: expanded.isEmpty ? "" : Directories.absolutePath(expanded), isWritable: path == argument)
  }

  /// The form that `init(argument:)` reads. The slash keeps a name that ends in `:ro`.
  package var argument: String { !isWritable ? path + ":ro" : path.hasSuffix(":ro") ? path + "/" : path }

  /// Whether `path` is this directory or in it.
  func contains(_ path: String) -> Bool { Self.contains(self.path, Directories.absolutePath(path)) }

  private static func contains(_ directory: String, _ path: String) -> Bool {
    path == directory || directory == "/" || path.hasPrefix(directory + "/")
  }

  /// The reason why no server gets this directory; nil if it may.
  ///
  /// With it a program could read the keyrings, give itself rights in Chappie's files, or reach the session bus.
  package var problem: LocalizedText? {
    let real = StorageDirectory(path).resolved.path
    let shown = path.terminalSafeLine
    guard path.hasPrefix("/") else { return en("The directory “\(shown)” is no absolute path.") }
    guard FileKind(real) == .directory else { return en("The directory \(shown) does not exist.") }
    let home = StorageDirectory(Directories.home).resolved.path
    guard !Self.contains(real, home) else {
      return en(
        "No server gets the directory \(shown), which has your whole home directory: name a directory in it.")
    }
    for secret in Self.protected {
      let secret = StorageDirectory(secret).resolved.path
      guard Self.contains(real, secret) || Self.contains(secret, real) else { continue }
      return en(
        """
        No server gets the directory \(shown): with \(secret.terminalSafeLine) it could reach your keyring, or change \
        what it may do.
        """)
    }
    return nil
  }

  /// Their parents are real paths, so that what does not exist yet is protected too.
  private static var protected: [String] {
    let data = StorageDirectory(Directories.data).resolved.path
    let others = [Directories.configuration, Directories.state, Directories.cache].map {
      StorageDirectory($0).resolved.path
    }
    return ([data] + others).map { $0 + "/chappie" }
      + [data + "/keyrings", data + "/kwalletd", Directories.runtime, "/tmp/.X11-unix", "/proc", "/sys", "/dev"]
  }
}

extension UInt8 {
  /// Whether this is a letter, a digit or `_`.
  var isNameByte: Bool { isAlphanumeric || self == UInt8(ascii: "_") }
}
