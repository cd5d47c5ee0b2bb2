import ChappieSDK

/// A turn that was answered, and is not kept.
public enum ChappieRuntimeError: Error, Sendable, Hashable {
  /// The answer came and could not be stored: here it is, with the reason. The conversation goes on without it.
  case notStored(ChappieResponse, ChappieThreadStoreError)
}

extension ChappieRuntimeError: CustomStringConvertible {
  /// What happened and what to do, in one sentence.
  public var description: String {
    switch self {
    case .notStored(_, let reason): "The answer came, and could not be stored. \(reason)"
    }
  }
}

extension ChappieThreadStoreError {
  /// What a store failed with, whatever it threw.
  package init(_ error: any Error) {
    self = error as? ChappieThreadStoreError ?? .unavailable("The store failed: \(error)")
  }
}
