// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge

/// The tool calls of all turns that wait for the user's approval, for notifications and for the user's own programs.
@GLibActor
final class Approvals {
  /// A waiting call.
  struct Waiting {
    let question: ApprovalQuestion
    let call: String
    let turn: ServiceTurn
    /// A number that grows in the order of the questions.
    fileprivate let number: Int
  }

  /// The largest number of listed calls, oldest first: turns can have any number of calls.
  private static let listed = 100
  /// The time for programs to answer before the desktop asks.
  private static let patience = Duration.seconds(3)

  private let notifications: Notifications?
  private var waiting: [String: Waiting] = [:]
  private var count = 0

  init(_ notifications: Notifications?) {
    self.notifications = notifications
  }

  /// Waits for the first answer: from a program, or from the user through the desktop.
  func decision(on question: ApprovalQuestion, _ call: String, of turn: ServiceTurn) async -> ChappieApprovalDecision {
    let id = newID()
    count += 1
    waiting[id] = Waiting(question: question, call: call, turn: turn, number: count)
    defer { waiting[id] = nil }
    guard let notifications else { return await turn.calls.approval(of: call) }
    let asker = "\(turn.memory.holder)"
    return await notifications.asking(
      DesktopNotification(asking: question), of: asker, patience: Self.patience
    ) { action in
      // Another answer may have come first.
      try? turn.calls.resolve(action == .approve ? .approved() : .denied(), for: call)
    } while: {
      await turn.calls.approval(of: call)
    }
  }

  /// A new id: short, since a person types it, and random, so that a person never answers a different question.
  private func newID() -> String {
    while true {
      let id = "ask-" + String((0..<5).map { _ in "abcdefghjkmnpqrstuvwxyz23456789".randomElement() ?? "a" })
      if waiting[id] == nil { return id }
    }
  }

  // MARK: The user's programs

  /// The waiting calls, oldest first. The arguments may be long and are only in the details of a call.
  var list: [VariantDictionary] {
    waiting.sorted { $0.value.number < $1.value.number }.prefix(Self.listed).map { id, waiting in
      dictionary(id, waiting)
    }
  }

  /// - Throws: `BusError` with `InvalidArgument`.
  func details(of id: String) throws -> VariantDictionary {
    let waiting = try find(id)
    var details = dictionary(id, waiting)
    details.set("arguments", waiting.question.arguments)
    return details
  }

  /// - Throws: `BusError` with `InvalidArgument`, `Locked`.
  func resolve(_ id: String, _ decision: ChappieApprovalDecision) throws {
    let waiting = try find(id)
    try waiting.turn.calls.resolve(decision, for: waiting.call)
  }

  private func find(_ id: String) throws -> Waiting {
    guard let waiting = waiting[id] else {
      throw BusError(
        .invalidArgument, "No approval '\(Redaction.message(id))' waits: it was answered, or its turn has ended.")
    }
    return waiting
  }

  private func dictionary(_ id: String, _ waiting: Waiting) -> VariantDictionary {
    var dictionary: VariantDictionary = [
      "approval": id, "tool": waiting.question.tool,
      "bytes": UInt64(waiting.question.arguments.utf8.count),
    ]
    dictionary.set("app", waiting.question.app)
    return dictionary
  }
}
