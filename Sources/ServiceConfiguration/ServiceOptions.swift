// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import ChappieSDKRuntime
import GLibBridge
import Platform

/// The options of the service: from its command line, then from `chappie/chappie.conf`.
package struct ServiceOptions: Sendable {
  /// The largest size of a configuration file in bytes.
  private static let sizeLimit = 1 << 20

  /// The configuration files that were read, in order of precedence.
  package private(set) var files: [String] = []
  /// The default configuration, which callers' options change.
  package internal(set) var defaults = ChappieConfiguration(harness: .chappie, applicationID: .desktopUser)
  package internal(set) var keyring = KeyringPolicy()
  /// Whether the service shows desktop notifications.
  package internal(set) var showsNotifications = true
  /// Whether turns may use the user's tool servers.
  package internal(set) var allowsToolServers = true
  package internal(set) var models = ModelAliases()

  /// The policy of stored threads; nil if threads are off.
  package var threads: ThreadPolicy? { keepsThreads ? threadPolicy : nil }
  var keepsThreads = true
  var threadPolicy = ThreadPolicy()
  var dropped: Set<ChappieThreadRedaction.Field> = []
  var masked: Set<ChappieThreadRedaction.Field> = []
  /// Regular expressions by the user's names for them.
  var patterns: [String: String] = [:]

  var issuer: String?
  var baseURL: String?
  /// The address of the public API, with its version.
  var apiURL: String?
  var clientID: String?
  var model: String?

  /// Reads the user's configuration file, then the system's. The first one with a key counts, after the command line.
  ///
  /// - Throws: a sentence about a group or key that is unknown, or a value that is invalid.
  package init(
    issuer: String? = nil, baseURL: String? = nil, apiURL: String? = nil,
    directories: [String] = [Directories.configuration] + Directories.systemConfiguration
  ) throws {
    self.issuer = issuer
    self.baseURL = baseURL
    self.apiURL = apiURL
    var given: Set<String> = []
    for path in directories.map({ $0 + "/chappie/chappie.conf" }) where FileKind(path) != .nothing {
      do {
        guard FileKind(path) != .brokenLink else { throw StartFailure(description: "It is a link to nothing.") }
        try read(KeyFile(Files.read(path, limit: Self.sizeLimit)), &given)
      } catch {
        throw StartFailure(description: "\(path): \((error as? GLibError)?.message ?? "\(error)")")
      }
      files.append(path)
    }
    try finish()
  }

  /// - Parameter given: the keys that an earlier file has.
  private mutating func read(_ file: KeyFile, _ given: inout Set<String>) throws {
    for group in file.groupNames {
      guard let keys = ConfigurationKey.groups.first(where: { $0.key == group })?.value else {
        let groups = ConfigurationKey.groups.map { "[\($0.key)]" }.joined(separator: ", ")
        throw StartFailure(description: "[\(group)] is no group: the groups are \(groups).")
      }
      for name in file.keys(of: group) {
        let label = "[\(group)] \(name)="
        guard let key = keys.first(where: { $0.name == name || $0.name == nil }) else {
          let names = keys.compactMap { $0.name.map { "\($0)=" } }.joined(separator: ", ")
          throw StartFailure(description: "\(label) is no key: the keys are \(names).")
        }
        guard given.insert(label).inserted else { continue }
        guard let value = key.isPattern ? file.rawString(group, name) : file.string(group, name) else {
          throw StartFailure(description: "\(label) must be text in UTF-8 with \\\\ for each backslash.")
        }
        guard key.store(&self, name, value) else {
          // An address may have a password.
          let given = key.isPattern || value.contains("@") ? "" : ", not “\(value)”"
          throw StartFailure(description: "\(label) must be \(key.expected)\(given).")
        }
      }
    }
  }

  /// Makes the values that take several keys.
  private mutating func finish() throws {
    let production = ChappieBackend.production
    do {
      defaults.backend = try ChappieBackend(
        issuer: issuer ?? production.issuer, baseURL: baseURL ?? production.baseURL, apiURL: apiURL ?? ownAPI,
        clientID: clientID ?? production.clientID)
    } catch is ChappieClientError where [issuer, baseURL, apiURL].contains(where: { $0?.contains("@") == true }) {
      // The error names the address, which may have a password, and is logged.
      throw StartFailure(description: "An address names no user: leave out the part before the @.")
    }
    if let model { defaults.model = models.slug(model) }
    guard !dropped.isEmpty || !masked.isEmpty || !patterns.isEmpty else { return }
    threadPolicy.redaction = try ChappieThreadRedaction(
      drop: dropped, mask: masked, patterns: patterns.sorted { $0.key < $1.key }.map(\.value))
  }

  /// The API of the issuer. Tokens of another issuer than OpenAI's are of no use at OpenAI's API, and go there only if
  /// the configuration says so.
  private var ownAPI: String {
    guard let issuer, issuer != ChappieBackend.production.issuer else { return ChappieBackend.productionAPI }
    return (issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer) + "/v1"
  }
}

/// The reason for which the service could not start, as a sentence.
package struct StartFailure: Error, CustomStringConvertible {
  package let description: String

  package init(description: String) {
    self.description = description
  }
}

/// The policy of stored threads.
package struct ThreadPolicy: Sendable {
  package internal(set) var retention = ChappieThreadStoreRetentionPolicy.default
  /// The file protection for objects that need an unlocked desktop. Other objects have the weaker rule.
  package internal(set) var protection = ChappieFileThreadStoreStoragePolicy.FileProtection.complete
  /// The redaction before every write; nil for none.
  package internal(set) var redaction: ChappieThreadRedaction?
}

/// The user's own names for models.
package struct ModelAliases: Sendable {
  private var slugs: [String: String] = [:]

  package init() {}

  /// Adds a name. False for a name or a slug that cannot be used.
  mutating func add(_ name: String, _ slug: String) -> Bool {
    slugs[name] = slug
    return (1...64).contains(name.utf8.count) && (1...255).contains(slug.utf8.count)
      && !slug.unicodeScalars.contains { $0.properties.generalCategory == .control }
  }

  /// The slug that an alias stands for; `name` itself if it is no alias.
  package func slug(_ name: String) -> String { slugs[name] ?? name }

  /// The aliases of a model, sorted.
  package func names(of slug: String) -> [String] { slugs.filter { $0.value == slug }.keys.sorted() }
}

extension ChappieHarness {
  /// The harness of the service: the library's default with the name of this app.
  package static let chappie = {
    var harness = ChappieHarness.default
    harness.name = "Chappie"
    return harness
  }()
}
