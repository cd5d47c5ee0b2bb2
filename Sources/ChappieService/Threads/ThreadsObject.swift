// SPDX-License-Identifier: Apache-2.0
import ChappieBusInterfaces
import ChappieSDK
import ChappieSDKRuntime
import GLibBridge

/// `org.chappie.Threads`, beside the `org.chappie.Client` of the same object.
@GLibActor
final class ThreadsObject {
  unowned let client: ClientObject
  let stored: StoredThreads
  private let store: any ChappieThreadStore
  let conversations: ThreadConversations
  let files: ChappieFileThreadStore
  private let protection: ChappieFileThreadStoreStoragePolicy.FileProtection
  /// The bus name that receives `ThreadChanged`; nil for a broadcast.
  private let listener: String?
  private weak var object: BusObject?

  init(_ client: ClientObject, _ stores: ThreadStores) {
    self.client = client
    listener =
      switch client.sharing {
      case .shared: nil
      case .opened(let caller): caller
      }
    let configuration = client.client.configuration
    stored = stores.threads(of: configuration)
    protection = stored.protection(configuration.keychainAccessibility)
    files = stored.files(protection)
    store = stored.store(files)
    conversations = ThreadConversations(client.client, store)
  }

  func implementation() throws -> BusImplementation {
    try BusImplementation(
      BusInterfaceDescription(xml: BusInterfaceFiles.threads, name: ServiceInterfaces.threads), owner: self,
      methods: turnMethods.merging(storeMethods) { first, _ in first }, descriptorMethods: lineMethods,
      properties: ["Version": { UInt32(1).variant }])
  }

  /// Starts to emit changes on `object`, and starts retention.
  func attach(_ object: BusObject) {
    self.object = object
    stored.add(self)
    Task.onGLib { [files] in await files.startRetention() }
  }

  /// The store. If `call` allows interaction, the keyring is unlocked first, and may ask the user for its password.
  ///
  /// - Throws: `ChappieThreadStoreError`, `CancellationError`.
  func unlockedStore(for call: BusCall) async throws -> any ChappieThreadStore {
    if call.allowsInteraction { try await files.unlock() }
    return store
  }

  func tell(_ thread: String, _ change: ThreadChange) {
    if change == .deleted { conversations.forget(thread) }
    object?.emit(ServiceInterfaces.threads, "ThreadChanged", .tuple(thread, change.rawValue), to: listener)
  }

  /// Drops the conversations from memory if their files may be read only while nothing is locked.
  func locked() {
    if protection == .complete { conversations.forgetAll() }
  }
}
