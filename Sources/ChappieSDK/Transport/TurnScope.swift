import GLibBridge

/// What the requests of one turn share.
@GLibActor
final class TurnScope {
  let interaction: SecretServiceClient.Interaction
  /// The backend's routing token; it goes back with each further request of the turn.
  var turnState: String?
  /// The socket that the turn's last answer came over.
  var socket: SocketConnection?
  private let receive: @GLibActor (ChappieStreamEvent) -> HTTPResponse.Verdict

  init(_ caller: ChappieClient.TurnCaller, socket: SocketConnection?) {
    interaction = caller.interaction
    receive = caller.deliver
    self.socket = socket
  }

  func deliver(_ event: ChappieStreamEvent) -> HTTPResponse.Verdict {
    receive(event)
  }

  /// Notes what is used of the plan.
  func report(_ limits: JSON) {}
}
