/// Why the service could not start, in a sentence.
public struct StartFailure: Error, CustomStringConvertible {
  public let description: String
}
