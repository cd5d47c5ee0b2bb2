// SPDX-License-Identifier: Apache-2.0
import Observation

extension ChappieAuthSession {
  /// An observable property.
  struct Member: Sendable {
    let hasChanged: @Sendable (Snapshot, Snapshot) -> Bool
    let willSet: @Sendable (ObservationRegistrar, ChappieAuthSession) -> Void
    let didSet: @Sendable (ObservationRegistrar, ChappieAuthSession) -> Void

    init<Value: Equatable & SendableMetatype>(
      _ member: any KeyPath<ChappieAuthSession, Value> & Sendable, _ value: any KeyPath<Snapshot, Value> & Sendable
    ) {
      hasChanged = { $0[keyPath: value] != $1[keyPath: value] }
      willSet = { registrar, session in registrar.willSet(session, keyPath: member) }
      didSet = { registrar, session in registrar.didSet(session, keyPath: member) }
    }

    static let all = [
      Member(\.snapshot, \.self), Member(\.state, \.state), Member(\.deviceLinkState, \.deviceLinkState),
      Member(\.deviceCode, \.deviceCode), Member(\.browserPage, \.browserPage),
      Member(\.signInMethod, \.signInMethod), Member(\.planUse, \.planUse),
      Member(\.manageUsageURL, \.manageUsageURL), Member(\.accountInfo, \.accountInfo),
      Member(\.lastError, \.lastError),
    ]
  }
}
