// SPDX-License-Identifier: Apache-2.0

/// The replies that a connection waits for, and from whom each may come.
///
/// A reply to a call to a unique name comes from that name. A reply to a call to a well-known name comes from its owner
/// at the time of the call, which is the first one after it where the bus starts one, or at the time of the reply.
struct ExpectedReplies: Sendable {
  private struct Call: Sendable {
    /// The unique name that the call goes to; nil while nobody owns the well-known name.
    var owner: String?
    /// The well-known name that was called; nil for a call to a unique name.
    let name: String?
  }

  private enum Owner: Sendable {
    /// The bus has been asked. Calls to the name wait for its answer.
    case asked
    /// The unique name of the owner, as the bus has reported it; nil for none.
    case known(String?)
  }

  /// What happens with an outgoing call.
  enum Outgoing: Equatable {
    case send
    /// It waits for the name's owner.
    case wait
    /// It waits for the name's owner, which must be asked for first. The `forgotten` names are no longer followed.
    case ask(forgotten: [String])
  }

  /// The origin of an incoming reply. One of the bus or of the peer counts.
  enum Verdict: Equatable {
    /// The bus sent it. No peer can use its name.
    case ofBus
    /// The peer that was called sent it.
    case ofPeer
    /// No call waits for it, such as one that comes too late.
    case unknown
    /// The call went to another peer.
    case forged
  }

  /// A call that gets no reply stays until its peer leaves the bus, so the number of calls is limited: the oldest one is
  /// forgotten.
  private let callLimit: Int
  private let nameLimit: Int
  private var calls: [UInt32: Call] = [:]
  private var owners: [String: Owner] = [:]
  /// The serials that the callers know, by the serials of the calls that were sent after a wait.
  private var originals: [UInt32: UInt32] = [:]
  /// Calls with lower serials may have been sent before this record began. Their replies are accepted from any peer.
  var firstSerial = UInt32.max

  init(callLimit: Int = 4096, nameLimit: Int = 256) {
    self.callLimit = callLimit
    self.nameLimit = nameLimit
  }

  /// Records a call that is about to be sent.
  mutating func send(_ serial: UInt32, to destination: String, expectsReply: Bool) -> Outgoing {
    // A reply of the bus needs no record: no peer can have its name.
    if destination == busName { return .send }
    if destination.hasPrefix(":") {
      if expectsReply { add(serial, Call(owner: destination, name: nil)) }
      return .send
    }
    switch owners[destination] {
    case .known(let owner):
      if expectsReply { add(serial, Call(owner: owner, name: destination)) }
      return .send
    case .asked: return .wait
    case nil where expectsReply:
      let forgotten = owners.count < nameLimit ? [] : forgetIdleNames()
      owners[destination] = .asked
      return .ask(forgotten: forgotten)
    case nil: return .send
    }
  }

  private mutating func add(_ serial: UInt32, _ call: Call) {
    if calls.count >= callLimit, let oldest = calls.keys.min() { forget(oldest) }
    calls[serial] = call
  }

  private mutating func forgetIdleNames() -> [String] {
    let called = Set(calls.values.compactMap(\.name))
    let idle = owners.filter { if case .known = $0.value { !called.contains($0.key) } else { false } }.map(\.key)
    for name in idle { owners[name] = nil }
    return idle
  }

  /// Sets the owner of a name that was asked for.
  mutating func know(_ owner: String?, of name: String) {
    owners[name] = .known(owner)
  }

  /// Notes a change of ownership that the bus has signalled.
  mutating func ownerChanged(_ name: String, to owner: String?) {
    guard case .known = owners[name] else { return }
    know(owner, of: name)
    // Whoever was started for a call may give up the name before it replies.
    for (serial, call) in calls where call.name == name && call.owner == nil { calls[serial]?.owner = owner }
  }

  /// Judges a reply, and forgets the call when it is its reply.
  ///
  /// - Parameter sender: nil for a reply without a sender. The bus adds one to each message of a peer, so that reply is
  ///   the bus's own, or of a proxy in front of it.
  mutating func receive(replyTo serial: UInt32, from sender: String?) -> Verdict {
    guard let sender, sender != busName else {
      calls[serial] = nil
      return .ofBus
    }
    guard let call = calls[serial] else { return serial < firstSerial ? .ofPeer : .unknown }
    guard call.owner == sender || call.name.map({ owns(sender, $0) }) == true else { return .forged }
    calls[serial] = nil
    return .ofPeer
  }

  private func owns(_ sender: String, _ name: String) -> Bool {
    if case .known(sender) = owners[name] { true } else { false }
  }

  /// Notes that a call that waited is sent under another serial: a proxy disconnects a program whose serials do not
  /// increase.
  mutating func resend(_ original: UInt32, as serial: UInt32) {
    originals[serial] = original
  }

  /// Removes and returns the serial that the caller of a call that was sent after a wait knows; nil for other calls.
  mutating func takeOriginal(of serial: UInt32) -> UInt32? {
    originals.removeValue(forKey: serial)
  }

  /// Forgets a call that no longer waits for its reply.
  mutating func forget(_ serial: UInt32) {
    for sent in [serial] + originals.filter({ $0.value == serial }).keys {
      calls[sent] = nil
      originals[sent] = nil
    }
  }
}
