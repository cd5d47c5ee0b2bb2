// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import ChappieSDKRuntime
import GLibBridge
import Platform

extension ErrorName {
  /// The name on the bus.
  var busName: String { "org.chappie.Error.\(rawValue)" }
}

extension BusError {
  init(_ name: ErrorName, _ message: String) {
    self.init(name: name.busName, message: message)
  }

  /// The D-Bus error that a caller gets for `error`.
  init(_ error: any Error) {
    switch error {
    case let error as BusError: self = error
    case let error as VariantError: self.init(.invalidArgument, "\(error).")
    case let error as ChappieClientError: self.init(error.errorName, error.description)
    case let error as ChappieAuthError: self.init(error.errorName, error.description)
    case let error as ChappieThreadStoreError: self.init(error.errorName, error.description)
    case let error as BusMessageTooLong:
      self.init(
        .limitExceeded,
        "The reply would have \(error.bytes) bytes, and \(BusMessageTooLong.limit) are allowed: ask for less.")
    case is CancellationError: self.init(.cancelled, en("It was cancelled."))
    case let error as GLibError: self.init(.network, error.message)
    default: self.init(.network, en("It failed in an unexpected way."))
    }
  }
}

extension ChappieThreadStoreError {
  var errorName: ErrorName {
    switch self {
    case .noSuchThread: .noSuchThread
    case .exists: .invalidArgument
    case .full: .storeFull
    case .locked: .locked
    case .keyringUnavailable: .keyringUnavailable
    case .unavailable, .busy, .unreadable: .storeUnavailable
    }
  }
}

extension BusError {
  /// The D-Bus error for a turn with an answer that could not be stored.
  init(notStored reason: ChappieThreadStoreError, turn: String) {
    self.init(reason.errorName, en("The answer could not be stored. \(reason) Ask GetTurn for \(turn) to have it."))
  }
}

extension BusCall {
  /// Whether this call allows the keyring to ask the user for its password.
  var interaction: UserInteraction { allowsInteraction ? .allowed : .forbidden }
}

/// The fixed paths.
enum ServicePaths {
  static let root = ObjectPath.root.appending("org").appending("chappie")
  static let accounts = root.appending("account")
}
