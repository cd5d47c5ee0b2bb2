import ChappieSDK

/// An error of ``ChappieRuntime`` after the model has answered.
public enum ChappieRuntimeError: Error, Sendable, Hashable {
  /// The turn could not be stored. The values are the answer and the reason. The conversation continues without this
  /// turn.
  case notStored(ChappieResponse, ChappieThreadStoreError)
}

extension ChappieRuntimeError: CustomStringConvertible {
  /// The error and its remedy, for a person.
  public var description: String {
    switch self {
    case .notStored(_, let reason): "The answer could not be stored. \(reason)"
    }
  }
}
