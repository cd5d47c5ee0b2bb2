import FoundationEssentials
import GLibBridge
import HTTPTestServer

/// The clock of the stand-in's servers, in whole Unix seconds.
@GLibActor
final class StandInClock {
  /// The seconds that it is ahead of this machine's clock; negative when it is behind.
  var ahead = 0

  var now: Int { Int(Date().timeIntervalSince1970) + ahead }

  /// Gives an answer the time of this clock, unless a rule gives it another.
  func date(_ answer: HTTPServerAnswer) -> HTTPServerAnswer {
    guard ahead != 0, case .whole(var response) = answer, let text = HTTPDate.text(Int64(now)) else { return answer }
    response.head.headers.insert(("date", text), at: 0)
    return .whole(response)
  }
}
