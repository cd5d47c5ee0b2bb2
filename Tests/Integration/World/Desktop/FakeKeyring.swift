// SPDX-License-Identifier: Apache-2.0

/// A Secret Service of a test's own, with the faults of real ones: it prompts the user, hides its items, stops
/// answering, and reports success without storing.
@GLibActor
final class FakeKeyring {
  /// The user's reaction to a prompt.
  enum User {
    case consents
    /// After the time that a person needs to read the question.
    case dismisses
    case isAway
    /// The keyring's program crashes during the prompt.
    case seesACrash
  }

  final class Item {
    let path: ObjectPath
    let attributes: Variant
    var value: Variant
    /// The item alone is locked, as KeePassXC locks it until the user confirms a program's access.
    var isLocked = false
    var object: BusObject?

    init(_ path: ObjectPath, _ attributes: Variant, _ value: Variant) {
      self.path = path
      self.attributes = attributes
      self.value = value
    }
  }

  private enum Question {
    case unlock([ObjectPath])
    case create(Item)
    case createCollection
    case delete(Item)
  }

  static let name = "org.freedesktop.secrets"
  static let path = ObjectPath.named(name)
  static let collectionPath = path.appending("collection").appending("fake")

  var user = User.consents
  /// Reports success for a new item and stores nothing.
  var storesNothing = false
  /// Receives calls and answers none.
  var isSilent = false
  /// The number of calls without an answer.
  private(set) var unanswered = 0
  /// Lists no items while it is locked.
  var hidesWhenLocked = false
  /// Has a prompt, which needs no user, for each new and each deleted item.
  var promptsForAll = false
  /// Whether the alias `default` leads to its collection.
  var hasDefault = true
  /// Open prompts.
  private var waiting: [ObjectPath] = []
  private(set) var isLocked = false
  private(set) var items: [Item] = []
  /// Deleted items, since a caller may still use them.
  private var formerItems: [Item] = []
  /// The number of prompts shown to the user.
  private(set) var questions = 0
  private(set) var dismissals = 0
  /// The number of secrets read.
  private(set) var reads = 0
  private let address: String
  private var connection: BusConnection?
  private var objects: [BusObject] = []
  private var asked: [ObjectPath: Question] = [:]
  private var count = 0

  init(in world: World) async throws {
    address = world.directories.busAddress
    try await comeBack()
    world.keep(self)
  }

  private func start() async throws {
    connection = try await BusConnection.open(address: address)
    objects = try [
      export(Self.path, "Service", serviceMethods, ["Collections ao": { [unowned self] _ in collections.variant }]),
      export(Self.collectionPath, "Collection", collectionMethods, collectionProperties),
      export(
        Self.path.appending("aliases").appending("default"), "Collection", collectionMethods, collectionProperties),
    ]
    for item in items { try export(item) }
  }

  // MARK: Control by a test

  func setLocked(_ isLocked: Bool) {
    self.isLocked = isLocked
    for object in objects.dropFirst() { object.propertiesChanged(Self.interface("Collection"), ["Locked"]) }
  }

  /// Removes all items, as a keyring manager does.
  func removeItems() {
    let removed = items
    for item in removed {
      remove(item)
      objects[1].emit(Self.interface("Collection"), "ItemDeleted", .tuple(item.path))
    }
  }

  /// Releases the keyring's name.
  func leave() async throws {
    try await connection?.releaseName(Self.name)
  }

  /// Leaves the bus without releasing anything.
  private func crash() {
    asked = [:]
    objects = []
    for item in items { item.object = nil }
    connection = nil
  }

  /// Takes the keyring's name from any other owner. After a crash it has all its items.
  func comeBack() async throws {
    if connection == nil { try await start() }
    guard let connection, try await connection.requestName(Self.name, allowReplacement: true, replace: true) == .owner
    else {
      throw UnmetCondition("the keyring's name")
    }
  }

  // MARK: The service

  private var collections: [ObjectPath] { hasDefault ? [Self.collectionPath] : [] }

  private var serviceMethods: [String: BusImplementation.Method] {
    [
      "OpenSession s v -> v o": answering { call in
        guard try call.argument(0, as: String.self) == "plain" else {
          throw BusError(name: "org.freedesktop.DBus.Error.NotSupported", message: "plain alone")
        }
        return .tuple("".variant, Self.session)
      },
      "SearchItems a{ss} -> ao ao": answering { [unowned self] call in
        let wanted = call.arguments.children[0]
        let found = isLocked && hidesWhenLocked ? [] : items.filter { Self.matches($0.attributes, wanted) }
        let locked = found.filter { self.isLocked || $0.isLocked }
        return .tuple(found.filter { !(self.isLocked || $0.isLocked) }.map(\.path), locked.map(\.path))
      },
      "ReadAlias s -> o": answering { [unowned self] call in
        .tuple(try call.argument(0, as: String.self) == "default" && hasDefault ? Self.collectionPath : .root)
      },
      "CreateCollection a{sv} s -> o o": answering { [unowned self] call in
        guard try call.argument(1, as: String.self) == "default" else { throw UnmetCondition("the default alias") }
        return .tuple(ObjectPath.root, try ask(.createCollection))
      },
      "Unlock ao -> ao o": answering { [unowned self] call in
        let paths = try call.argument(0, as: [ObjectPath].self)
        let locked = paths.filter { self.isLocked || $0 != Self.collectionPath && item(at: $0)?.isLocked == true }
        return .tuple(paths.filter { !locked.contains($0) }, locked.isEmpty ? .root : try ask(.unlock(locked)))
      },
      "Lock ao -> ao o": answering { [unowned self] call in
        setLocked(true)
        return .tuple(try call.argument(0, as: [ObjectPath].self), ObjectPath.root)
      },
    ]
  }

  // MARK: The collection

  private var collectionProperties: [String: BusImplementation.Property] {
    [
      "Items ao": { [unowned self] _ in items.map(\.path).variant },
      "Label s": { _ in "Fake".variant },
      "Locked b": { [unowned self] _ in isLocked.variant },
    ]
  }

  private var collectionMethods: [String: BusImplementation.Method] {
    [
      "CreateItem a{sv} (oayays) b -> o o": answering { [unowned self] call in
        try checkUnlocked()
        let properties = try call.argument(0, as: VariantDictionary.self)
        guard let attributes = properties["org.freedesktop.Secret.Item.Attributes"] else {
          throw BusError(name: "org.freedesktop.DBus.Error.InvalidArgs", message: "no attributes")
        }
        count += 1
        let path = Self.collectionPath.appending("i\(count)")
        let item = Item(path, attributes, call.arguments.children[1].children[2])
        if promptsForAll { return .tuple(ObjectPath.root, try ask(.create(item))) }
        return .tuple(try add(item), ObjectPath.root)
      }
    ]
  }

  private func add(_ item: Item) throws -> ObjectPath {
    guard !storesNothing else { return item.path }
    for old in items where Self.areEqual(old.attributes, item.attributes) { remove(old) }
    try export(item)
    items.append(item)
    return item.path
  }

  // MARK: Items

  private func export(_ item: Item) throws {
    item.object = try export(item.path, "Item", itemMethods(item), itemProperties(item))
  }

  private func item(at path: ObjectPath) -> Item? { items.first { $0.path == path } }

  private func itemProperties(_ item: Item) -> [String: BusImplementation.Property] {
    [
      "Attributes a{ss}": { _ in item.attributes },
      "Label s": { _ in "item".variant },
      "Locked b": { [unowned self, unowned item] _ in (isLocked || item.isLocked).variant },
    ]
  }

  private func itemMethods(_ item: Item) -> [String: BusImplementation.Method] {
    [
      "GetSecret o -> (oayays)": answering { [unowned self, unowned item] _ in
        try checkUnlocked(item)
        reads += 1
        return .tuple([.tuple([Self.session.variant, .array(of: "y", []), item.value, "text/plain".variant])])
      },
      "Delete -> o": answering { [unowned self, unowned item] _ in
        try checkUnlocked(item)
        if promptsForAll { return .tuple(try ask(.delete(item))) }
        remove(item)
        return .tuple(ObjectPath.root)
      },
    ]
  }

  private func remove(_ item: Item) {
    items.removeAll { $0 === item }
    item.object = nil
    formerItems.append(item)
  }

  private func checkUnlocked(_ item: Item? = nil) throws {
    guard !isLocked, item?.isLocked != true else {
      throw BusError(name: "org.freedesktop.Secret.Error.IsLocked", message: "it is locked")
    }
  }

  // MARK: Prompts

  private func ask(_ question: Question) throws -> ObjectPath {
    count += 1
    let path = Self.path.appending("prompt").appending("p\(count)")
    asked[path] = question
    let methods: [String: BusImplementation.Method] = [
      "Prompt s": answering { [unowned self] _ in
        Task.onGLib { prompted(path) }
        return .tuple()
      },
      "Dismiss": answering { [unowned self] _ in
        dismissals += 1
        return .tuple()
      },
    ]
    objects.append(try export(path, "Prompt", methods, [:]))
    return path
  }

  private func prompted(_ path: ObjectPath) {
    guard let question = asked[path] else { return }
    switch (question, user) {
    case (.unlock, _), (.createCollection, _): questions += 1
    case (_, .consents): break
    default: questions += 1
    }
    switch user {
    case .isAway: waiting.append(path)
    case .seesACrash: crash()
    case .dismisses:
      Task.onGLib {
        try await sleep(for: .milliseconds(500))
        complete(path, dismissed: true, nothing(for: question))
      }
    case .consents: complete(path, dismissed: false, answer(to: question))
    }
  }

  /// The user returns and consents to all open prompts.
  func userReturns() {
    user = .consents
    for path in waiting {
      if let question = asked[path] { complete(path, dismissed: false, answer(to: question)) }
    }
    waiting = []
  }

  private func answer(to question: Question) -> Variant {
    switch question {
    case .unlock(let paths):
      if isLocked { setLocked(false) }
      for path in paths { item(at: path)?.isLocked = false }
      return paths.variant
    case .create(let item): return ((try? add(item)) ?? .root).variant
    case .createCollection:
      hasDefault = true
      return Self.collectionPath.variant
    case .delete(let item):
      remove(item)
      return "".variant
    }
  }

  /// libsecret expects a result of the right type even for a dismissed prompt.
  private func nothing(for question: Question) -> Variant {
    switch question {
    case .unlock: [ObjectPath]().variant
    case .create, .createCollection: ObjectPath.root.variant
    case .delete: "".variant
    }
  }

  private func complete(_ path: ObjectPath, dismissed: Bool, _ result: Variant) {
    objects.first { $0.path == path }?.emit(Self.interface("Prompt"), "Completed", .tuple(dismissed, result))
  }

  // MARK: The bus

  private static let session = path.appending("session").appending("plain")

  private func answering(_ method: @escaping BusImplementation.Method) -> BusImplementation.Method {
    { [unowned self] call in
      if isSilent {
        unanswered += 1
        await Wait().value()
      }
      return try await method(call)
    }
  }

  /// Compares the attributes in any order.
  private static func areEqual(_ one: Variant, _ other: Variant) -> Bool {
    matches(one, other) && matches(other, one)
  }

  private static func matches(_ attributes: Variant, _ wanted: Variant) -> Bool {
    let held = attributes.children.map(\.description)
    return wanted.children.allSatisfy { held.contains($0.description) }
  }

  private func export(
    _ path: ObjectPath, _ kind: String, _ methods: [String: BusImplementation.Method],
    _ properties: [String: BusImplementation.Property]
  ) throws -> BusObject {
    guard let connection else { throw UnmetCondition("a keyring that is on the bus") }
    let signals = ["Prompt": ["Completed b v"], "Collection": ["ItemDeleted o"]][kind] ?? []
    return try .played(
      connection, path, .played(Self.interface(kind), methods, properties, signals: signals))
  }

  private static func interface(_ kind: String) -> String { "org.freedesktop.Secret.\(kind)" }
}
