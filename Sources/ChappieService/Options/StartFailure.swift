/// The reason for which the service could not start, as a sentence.
public struct StartFailure: Error, CustomStringConvertible {
  public let description: String
}
