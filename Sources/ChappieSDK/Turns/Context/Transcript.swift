// SPDX-License-Identifier: Apache-2.0
import GLibBridge

/// The content of a client's conversation.
struct Transcript: Sendable {
  private(set) var sessionID = UniqueID.make()
  private(set) var threadID = UniqueID.make()
  private(set) var choice: ModelChoice
  /// Includes the model's reasoning and tool calls, because they improve later answers.
  private(set) var items: [ConversationItem] = []
  private(set) var summary: String?
  private var createdAt = UnixTime.now
  private var updatedAt = UnixTime.now

  init(_ choice: ModelChoice) {
    self.choice = choice
  }

  /// The items before the next message in a request.
  var input: [ConversationItem] {
    let beginning = summary.map { ConversationItem.message(.system("A summary of the conversation so far:\n\($0)")) }
    return (beginning.map { [$0] } ?? []) + items
  }

  /// The approximate memory of the transcript, in bytes.
  var footprint: Int { items.reduce(summary?.utf8.count ?? 0) { $0 + $1.footprint } }

  /// - Parameter model: the slug that ``choice`` stands for now.
  func context(asking model: String) -> ChappieClientContext {
    ChappieClientContext(
      sessionID: sessionID, threadID: threadID, model: model, messages: items.compactMap(\.asMessage),
      compactedSummary: summary, createdAt: ChappieTime(unixSeconds: createdAt),
      updatedAt: ChappieTime(unixSeconds: updatedAt), usesDefaultModel: choice == .standard)
  }

  // MARK: Changes

  mutating func select(_ choice: ModelChoice) {
    self.choice = choice
    updatedAt = UnixTime.now
  }

  mutating func append(_ new: [ConversationItem]) {
    items += new
    updatedAt = UnixTime.now
  }

  /// Replaces the whole conversation.
  mutating func replace(with items: [ConversationItem] = [], summary: String? = nil) {
    self.items = items
    self.summary = summary
    updatedAt = UnixTime.now
  }

  /// Begins another conversation.
  mutating func clear(with items: [ConversationItem] = []) {
    threadID = UniqueID.make()
    replace(with: items)
    createdAt = updatedAt
  }

  /// Removes the user's last message and everything after it.
  ///
  /// - Throws: ``ChappieClientError/invalidArgument(_:)`` if there is none.
  mutating func removeLastTurn() throws(ChappieClientError) {
    guard let start = items.lastIndex(where: { $0.asMessage?.role == .user }) else { throw .noTurn }
    items.removeSubrange(start...)
    updatedAt = UnixTime.now
  }

  mutating func resume(_ context: ChappieClientContext) {
    sessionID = context.sessionID
    threadID = context.threadID
    choice = context.usesDefaultModel ? .standard : .chosen(context.model)
    replace(with: context.messages.map { .message($0) }, summary: context.compactedSummary)
    createdAt = updatedAt
  }
}
