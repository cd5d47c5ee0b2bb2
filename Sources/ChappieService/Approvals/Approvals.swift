// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge

/// The tool calls of all turns that wait for the user's approval, for notifications and for the user's own programs.
@GLibActor
final class Approvals {
  /// A waiting call.
  private struct Waiting {
    let id: String
    let question: ApprovalQuestion
    let call: String
    let turn: ServiceTurn

    var dictionary: VariantDictionary {
      [
        "approval": id, "tool": question.tool, "bytes": UInt64(question.arguments.utf8.count), "app": question.app,
      ]
    }
  }

  /// The largest number of listed calls, oldest first: turns can have any number of calls.
  private static let listed = 100
  /// The time for programs to answer before the desktop asks.
  private static let patience = Duration.seconds(3)

  private let notifications: Notifications?
  /// The oldest first.
  private var waiting: [Waiting] = []

  init(_ notifications: Notifications?) {
    self.notifications = notifications
  }

  /// Waits for the first answer: from a program, or from the user through the desktop.
  func decision(on question: ApprovalQuestion, _ call: String, of turn: ServiceTurn) async -> ChappieApprovalDecision {
    let id = newID()
    waiting.append(Waiting(id: id, question: question, call: call, turn: turn))
    defer { waiting.removeAll { $0.id == id } }
    guard let notifications else { return await turn.calls.approval(of: call) }
    let asker = "\(turn.memory.holder)"
    return await notifications.asking(
      DesktopNotification(asking: question), of: asker, patience: Self.patience
    ) { action in
      guard let action else { return }
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
      if !waiting.contains(where: { $0.id == id }) { return id }
    }
  }

  // MARK: The user's programs

  /// The waiting calls, oldest first. The arguments may be long and are only in the details of a call.
  var list: [VariantDictionary] { waiting.prefix(Self.listed).map(\.dictionary) }

  /// - Throws: `BusError` with `InvalidArgument`.
  func details(of id: String) throws -> VariantDictionary {
    let waiting = try find(id)
    var details = waiting.dictionary
    details.set("arguments", waiting.question.arguments)
    return details
  }

  /// - Throws: `BusError` with `InvalidArgument`, `Locked`.
  func resolve(_ id: String, _ decision: ChappieApprovalDecision) throws {
    let waiting = try find(id)
    try waiting.turn.calls.resolve(decision, for: waiting.call)
  }

  private func find(_ id: String) throws -> Waiting {
    guard let waiting = waiting.first(where: { $0.id == id }) else {
      throw BusError(
        .invalidArgument, "No approval '\(Redaction.message(id))' waits: it was answered, or its turn has ended.")
    }
    return waiting
  }
}
