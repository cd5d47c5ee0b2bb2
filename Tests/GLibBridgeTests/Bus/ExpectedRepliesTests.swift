// SPDX-License-Identifier: Apache-2.0
@testable import GLibBridge

struct ExpectedRepliesTests {
  private static let name = "org.example.Service"

  private var replies: ExpectedReplies {
    var replies = ExpectedReplies(callLimit: 3, nameLimit: 2)
    replies.firstSerial = 10
    return replies
  }

  // MARK: Unique names

  @Test func aReplyCountsOnlyFromTheNameThatWasCalledAndOnce() {
    var replies = replies
    #expect(replies.send(11, to: ":1.2", expectsReply: true) == .send)
    #expect(replies.receive(replyTo: 11, from: ":1.3") == .forged)
    #expect(replies.receive(replyTo: 12, from: ":1.2") == .unknown)
    #expect(replies.receive(replyTo: 11, from: ":1.2") == .ofPeer)
    #expect(replies.receive(replyTo: 11, from: ":1.2") == .unknown)
  }

  /// A call to the bus needs no record, and its reply cannot be forged.
  @Test func aReplyOfTheBusAndOneToAnEarlierCallCount() {
    var replies = replies
    #expect(replies.send(11, to: "org.freedesktop.DBus", expectsReply: true) == .send)
    #expect(replies.receive(replyTo: 11, from: ":1.3") == .unknown)
    #expect(replies.receive(replyTo: 11, from: "org.freedesktop.DBus") == .ofBus)
    // A proxy's own error has no sender. The bus gives each message of a peer one.
    #expect(replies.receive(replyTo: 11, from: nil) == .ofBus)
    // The error of the bus ends a call to a peer.
    _ = replies.send(12, to: ":1.2", expectsReply: true)
    #expect(replies.receive(replyTo: 12, from: "org.freedesktop.DBus") == .ofBus)
    #expect(replies.receive(replyTo: 12, from: ":1.2") == .unknown)
    // Another part of the process may wait for the reply to a call from before the record.
    #expect(replies.receive(replyTo: 9, from: ":1.2") == .ofPeer)
    #expect(replies.receive(replyTo: 10, from: ":1.2") == .unknown)
  }

  @Test func aForgottenCallAndOneWithoutReplyTakeNoReply() {
    var replies = replies
    _ = replies.send(11, to: ":1.2", expectsReply: true)
    replies.forget(11)
    _ = replies.send(12, to: ":1.2", expectsReply: false)
    #expect(replies.receive(replyTo: 11, from: ":1.2") == .unknown)
    #expect(replies.receive(replyTo: 12, from: ":1.2") == .unknown)
    // Above the limit the oldest call is forgotten.
    for serial in UInt32(13)...16 { _ = replies.send(serial, to: ":1.2", expectsReply: true) }
    #expect(replies.receive(replyTo: 13, from: ":1.2") == .unknown)
    for serial in UInt32(14)...16 { #expect(replies.receive(replyTo: serial, from: ":1.2") == .ofPeer) }
  }

  // MARK: Well-known names

  @Test func callsToANameWaitForItsOwner() {
    var replies = replies
    #expect(replies.send(11, to: Self.name, expectsReply: false) == .send)
    #expect(replies.send(12, to: Self.name, expectsReply: true) == .ask(forgotten: []))
    #expect(replies.send(13, to: Self.name, expectsReply: true) == .wait)
    // It must not overtake the others.
    #expect(replies.send(14, to: Self.name, expectsReply: false) == .wait)
    #expect(replies.receive(replyTo: 12, from: ":1.2") == .unknown)
    replies.know(":1.2", of: Self.name)
    #expect(replies.send(12, to: Self.name, expectsReply: true) == .send)
    #expect(replies.receive(replyTo: 12, from: ":1.3") == .forged)
    #expect(replies.receive(replyTo: 12, from: ":1.2") == .ofPeer)
  }

  /// Its serial is higher then.
  @Test func aCallThatWaitedIsKnownByItsFirstSerial() {
    var replies = replies
    for (first, later) in [(UInt32(11), UInt32(20)), (12, 21)] {
      replies.resend(first, as: later)
      _ = replies.send(later, to: ":1.2", expectsReply: true)
    }
    replies.forget(11)
    #expect(replies.receive(replyTo: 20, from: ":1.2") == .unknown)
    #expect(replies.receive(replyTo: 21, from: ":1.2") == .ofPeer)
    #expect(replies.takeOriginal(of: 20) == nil)
    #expect(replies.takeOriginal(of: 21) == 12)
    #expect(replies.takeOriginal(of: 21) == nil)
  }

  /// It may give up the name before it replies.
  @Test func aServiceThatTheBusStartsForTheCallMayReply() {
    var replies = replies
    _ = replies.send(11, to: Self.name, expectsReply: true)
    replies.know(nil, of: Self.name)
    #expect(replies.send(11, to: Self.name, expectsReply: true) == .send)
    #expect(replies.receive(replyTo: 11, from: ":1.5") == .forged)
    for owner in [":1.5", nil, ":1.6", nil] { replies.ownerChanged(Self.name, to: owner) }
    #expect(replies.receive(replyTo: 11, from: ":1.6") == .forged)
    #expect(replies.receive(replyTo: 11, from: ":1.5") == .ofPeer)
  }

  @Test func theOwnerAtTheTimeOfTheCallMayReplyAfterAnotherHasTakenTheName() {
    var replies = replies
    _ = replies.send(11, to: Self.name, expectsReply: true)
    replies.know(":1.2", of: Self.name)
    _ = replies.send(11, to: Self.name, expectsReply: true)
    replies.ownerChanged(Self.name, to: ":1.4")
    #expect(replies.receive(replyTo: 11, from: ":1.2") == .ofPeer)
    _ = replies.send(12, to: Self.name, expectsReply: true)
    #expect(replies.receive(replyTo: 12, from: ":1.2") == .forged)
  }

  @Test func namesWithoutACallAreForgottenAboveTheLimit() {
    var replies = replies
    for (serial, name) in [(UInt32(11), "org.example.A"), (12, "org.example.B")] {
      #expect(replies.send(serial, to: name, expectsReply: true) == .ask(forgotten: []))
      replies.know(":1.2", of: name)
    }
    _ = replies.send(11, to: "org.example.A", expectsReply: true)
    #expect(replies.send(13, to: "org.example.C", expectsReply: true) == .ask(forgotten: ["org.example.B"]))
    #expect(replies.receive(replyTo: 11, from: ":1.2") == .ofPeer)
  }
}
