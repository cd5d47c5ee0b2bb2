// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import Platform

/// A change of a thread's summary.
enum ThreadUpdate: Equatable {
  case turn(ChappieTurn, number: Int64)
  case renamed(String, at: Int64, number: Int64)
  case archived(at: Int64)
  case unarchived(at: Int64, number: Int64)
}

extension ThreadUpdate {
  /// The update for `change`; nil if the thread is already so.
  ///
  /// - Parameters:
  ///   - time: Unix seconds.
  ///   - number: the change number of the store.
  init?(_ change: ChappieThreadChange, of summary: ChappieThreadSummary, at time: Int64, number: Int64) {
    switch change {
    case .rename(let title) where title != summary.title: self = .renamed(title, at: time, number: number)
    case .archive where !summary.isArchived: self = .archived(at: time)
    case .unarchive where summary.isArchived: self = .unarchived(at: time, number: number)
    case .rename, .archive, .unarchive: return nil
    }
  }
}

extension ChappieThreadSummary {
  /// Applies an update, except for the size.
  mutating func apply(_ update: ThreadUpdate) {
    switch update {
    case .turn(let turn, let number):
      turnCount = (Count(clamping: turnCount) + 1).value
      archivedAt = nil
      changed(at: turn.recordedAt, microseconds: turn.recordedAtMicroseconds, number)
    case .renamed(let title, let time, let number):
      self.title = title
      changed(at: time, number)
    case .archived(let time): archivedAt = time
    case .unarchived(let time, let number):
      archivedAt = nil
      // Without a new time, retention would archive it again at once.
      changed(at: time, number)
    }
  }

  mutating func resize(adding bytes: Int, removing others: Int = 0) {
    self.bytes = Int64((Count(clamping: self.bytes) + Count(clamping: bytes) - Count(clamping: others)).value)
  }

  private mutating func changed(at time: Int64, microseconds: Int32 = 0, _ number: Int64) {
    if (time, microseconds) > (updatedAt, updatedAtMicroseconds) {
      (updatedAt, updatedAtMicroseconds) = (time, microseconds)
    }
    changeNumber = max(changeNumber, number)
  }
}
