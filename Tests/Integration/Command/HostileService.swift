// SPDX-License-Identifier: Apache-2.0
import Platform

/// A program that has taken the name `org.chappie` and answers with hostile text.
@GLibActor
final class HostileService {
  /// The text in every value: it sets a terminal's clipboard, changes colours, clears the screen, reverses the reading
  /// direction, and begins a new line.
  nonisolated static let text =
    "\u{1B}]52;c;cm0gLXJm\u{07}\u{1B}[31mred\u{9B}31m\u{90}q\u{202E}txet\u{2067}\u{7F}\u{8}\u{0}x\r\nforged: line\rforged: too\u{2028}forged: three"
    .replacing("\u{0}", with: "")

  /// What it writes on the socket of a turn, at once.
  enum Speech: Sendable {
    /// These bytes, and the end of the stream.
    case bytes([UInt8])
    /// The first bytes, and then the second ones again and again, until the caller cancels the turn.
    case torrent([UInt8], [UInt8])

    static func text(_ text: String) -> Speech { .bytes(Array(text.utf8)) }

    static func torrent(_ first: String, _ rest: String) -> Speech { .torrent(Array(first.utf8), Array(rest.utf8)) }

    /// An event with hostile text, and a failure.
    static let failure = text(
      json(["event": "text-delta", "text": HostileService.text]) + "\n"
        + json(["event": "failed", "error": "org.chappie.Error.Network", "message": HostileService.text]) + "\n")
  }

  private let connection: BusConnection
  /// The address that it gives as the page to sign in at.
  var page = text
  private let isRefusing: Bool
  /// What it says in each turn; in later ones as in the last.
  private let speeches: [Speech]
  private var object: BusObject?
  private var sockets: [StreamSocket] = []
  /// The number of bytes of the torrents that the sockets took.
  private(set) var torrentBytes = 0
  /// The number of turns that were opened.
  var turns: Int { sockets.count }

  /// - Parameters:
  ///   - isRefusing: answers each call with an error.
  ///   - speeches: what it says in each turn, and in later ones the last of it; empty if it knows no `OpenTurn`.
  init(_ world: World, isRefusing: Bool = false, speeches: [Speech] = [.failure]) async throws {
    connection = try await BusConnection.open(address: world.directories.busAddress)
    self.isRefusing = isRefusing
    self.speeches = speeches
    object = try BusObject(
      connection, .chappie, [manager(), session(), client(), threads(), objectManager()],
      rights: .init { [isRefusing] request in
        if isRefusing { throw BusError(name: "org.chappie.Error.Network", message: Self.text) }
      }
    ) { error in
      error as? BusError ?? BusError(name: "org.freedesktop.DBus.Error.Failed", message: "\(error) \(Self.text)")
    }
    guard try await connection.requestName("org.chappie") == .owner else {
      throw UnmetCondition("the name org.chappie")
    }
    world.keep(self)
  }

  // MARK: Values

  private nonisolated static let id = "0123abcd-0000-4000-8000-000000000000"

  /// Each key that the command knows, with the same text.
  private nonisolated static func dictionary(_ keys: String) -> VariantDictionary {
    var dictionary = VariantDictionary()
    for key in keys.split(separator: " ") { dictionary.set(String(key), text) }
    return dictionary
  }

  private nonisolated static var thread: VariantDictionary {
    var thread = dictionary("title")
    thread.set("id", id)
    thread.set("updated_at", Int64.max)
    thread.set("turn_count", UInt32.max)
    thread.set("bytes", UInt64.max)
    return thread
  }

  private nonisolated static var usage: VariantDictionary {
    ["used_bytes": UInt64.max, "limit_bytes": UInt64(1), "unreadable_count": UInt32(3)]
  }

  private nonisolated static var server: VariantDictionary {
    ["host": text, "status": UInt32.max, "time": Int64.min]
  }

  private nonisolated static var limits: VariantDictionary {
    let window: VariantDictionary = [
      "used_percent": Double.infinity, "window_minutes": UInt32.max, "resets_at": Int64.min,
    ]
    let credits: VariantDictionary = ["has_credits": true, "balance": text]
    return ["plan": text, "primary": window, "secondary": window, "credits": credits]
  }

  private nonisolated static var threadJSON: String {
    let outputEvent: [String: Any] = ["type": "output", "text": text, "model": text, "responseID": text]
    let asked: [String: Any] = ["type": "input", "role": "user", "text": text, "images": [[String: Any]]()]
    let called: [String: Any] = ["type": "tool-call", "callID": text, "name": text, "arguments": text]
    let other: [String: Any] = ["type": text, "text": text]
    let turn: [String: Any] = ["id": text, "recordedAt": 5, "events": [asked, outputEvent, called, other]]
    let thread: [String: Any] = [
      "summary": ["id": text, "title": text, "createdAt": 1, "updatedAt": 2], "turns": [turn],
      "damage": [["offset": 1, "reason": text]],
    ]
    return String(decoding: (try? JSONSerialization.data(withJSONObject: thread)) ?? Data(), as: UTF8.self)
  }

  // MARK: Interfaces

  private func interface(
    _ name: String, _ methods: [String: @GLibActor @Sendable () -> [Variant]], _ properties: [String: Variant] = [:],
    opening: String = ""
  ) throws -> BusImplementation {
    var all = methods.mapValues { reply -> BusImplementation.Method in { _ in .tuple(reply()) } }
    if !opening.isEmpty, !speeches.isEmpty {
      all["OpenTurn \(opening) -> s h"] = { [unowned self] in try openTurn($0) }
    }
    return try .played(
      name, all,
      Dictionary(
        uniqueKeysWithValues: properties.map { name, value -> (String, BusImplementation.Property) in
          ("\(name) \(value.type)", { _ in value })
        }))
  }

  private func manager() throws -> BusImplementation {
    try interface(
      "org.chappie.Manager",
      [
        "OpenSession a{sv} -> o": { [ObjectPath.chappie.variant] },
        "OpenClient a{sv} -> o": { [ObjectPath.chappie.variant] },
        "ListApprovals -> aa{sv}": { [[Self.dictionary("approval tool app")].variant] },
        "GetApproval s -> a{sv}": { [Self.dictionary("approval tool app arguments").variant] },
        "AnswerApproval s b s": { [] }, "CheckServers -> aa{sv}": { [[Self.server].variant] },
      ], ["Version": UInt32(1).variant, "LockState": Self.text.variant, "LockSources": [Self.text].variant])
  }

  private func session() throws -> BusImplementation {
    try interface(
      "org.chappie.Session",
      [
        "StartDeviceCodeSignIn a{sv} -> s s x": { [unowned self] in
          [Self.text.variant, page.variant, Int64.max.variant]
        },
        "StartBrowserSignIn a{sv} -> s x": { [unowned self] in [page.variant, Int64.max.variant] },
        "CompleteBrowserSignIn s": { [] }, "CancelSignIn": { [] }, "SignOut": { [] },
      ],
      [
        "State": "signed-in".variant, "DeviceLinkState": "linked".variant,
        "DeviceCode": Self.dictionary("user_code verification_uri").variant,
        "BrowserPage": Self.dictionary("authorization_uri").variant,
        "SignInStep": Self.dictionary("kind uri code").variant,
        "Availability": Self.dictionary("reason message action").variant, "AuthMethod": Self.text.variant,
        "PlanUse": "limit-reached".variant, "ManageUsageUri": Self.text.variant,
        "AccountInfo": Self.dictionary("email user_id account_id plan").variant,
        "LastError": Self.dictionary("name message").variant,
        "Configuration": Self.dictionary("keychain_account").variant,
      ])
  }

  private func client() throws -> BusImplementation {
    var context = Self.dictionary("session_id thread_id model compacted_summary")
    context.set("messages", Variant.array(of: "(ss)", [.tuple(Self.text, Self.text)]))
    let model = Self.dictionary("slug display_name description")
    return try interface(
      "org.chappie.Client",
      [
        "GetContext -> a{sv}": { [context.variant] }, "ClearContext": { [] },
        "CompactContext s": { [] }, "ListModels a{sv} -> aa{sv}": { [[model].variant] },
        "SelectModel s": { [] }, "GetUsageLimits -> a{sv}": { [Self.limits.variant] },
      ], ["Model": Self.text.variant, "Version": UInt32(1).variant], opening: "a{sv}")
  }

  private func threads() throws -> BusImplementation {
    try interface(
      "org.chappie.Threads",
      [
        "List a{sv} -> aa{sv}": { [[Self.thread].variant] }, "Create a{sv} -> s": { [Self.text.variant] },
        "Get s -> s": { [Self.threadJSON.variant] },
        "Compact s s": { [] }, "UndoTurn s a{sv}": { [] }, "Rename s s": { [] },
        "Archive s": { [] },
        "Unarchive s": { [] }, "Delete s": { [] }, "DeleteAll": { [] },
        "GetUsage -> a{sv}": { [Self.usage.variant] },
      ], opening: "s a{sv}")
  }

  private func objectManager() throws -> BusImplementation {
    let objects = Variant.array(of: "{oa{sa{sv}}}", [.entry(ObjectPath.chappie.variant, .array(of: "{sa{sv}}", []))])
    return try interface(
      "org.freedesktop.DBus.ObjectManager", ["GetManagedObjects -> a{oa{sa{sv}}}": { [objects] }])
  }

  private func openTurn(_ call: BusCall) throws -> Variant {
    let (socket, callersEnd) = try StreamSocket.pair()
    switch speeches[min(turns, speeches.count - 1)] {
    case .bytes(let bytes):
      socket.send { $0 += bytes }
      socket.finish()
    case .torrent(let first, let rest):
      socket.onDrained = { [weak self, weak socket] in
        Task.onGLib {
          guard let self, let socket, socket.isOpen else { return }
          self.torrentBytes += rest.count
          socket.send { $0 += rest }
        }
      }
      socket.send { $0 += first }
      Task.onGLib {
        var lines = ""
        while socket.isOpen, !lines.contains(#"{"cancel":true}"#) {
          lines += String(decoding: try await socket.receive(), as: UTF8.self)
        }
        socket.onDrained = {}
        socket.send { $0 += #"{"event":"failed","error":"org.chappie.Error.Cancelled","message":""}"#.utf8 + [10] }
        socket.finish()
      }
    }
    sockets.append(socket)
    call.files.pass(callersEnd)
    return .tuple("turn", DescriptorHandle())
  }
}
