// SPDX-License-Identifier: Apache-2.0

/// Judges each incoming message before GDBus parses it. GDBus allocates objects for a message before it can be
/// rejected, up to 70 bytes for each byte of a malicious one, and closes the connection at the first invalid one.
///
/// A message within the limits passes unchanged. Another one is skipped without being stored, and reported; when it is
/// a reply, an error takes its place, so its caller does not wait for a timeout.
struct MessageGuard: Sendable {
  struct Bounds: Sendable {
    /// The maximum size of one message, in bytes.
    var messageBytes = 20 << 20
    /// The maximum number of values in one message. The elements of an array of numbers do not count.
    var messageValues = 100_000
    var perSecond = ValueBudget.Bounds()
  }

  /// The stream is not one of D-Bus messages: the start of the next one cannot be found.
  struct InvalidStream: Error {}

  /// What is written in the place of a message.
  private struct Verdict: Sendable {
    /// The bytes of the message that are skipped first. Its last byte is read after `output` is written, because
    /// GConverterInputStream asks for no output while it has no input.
    var skipped = 0
    var output: ArraySlice<UInt8>
  }

  private let bounds: Bounds
  private let reject: @Sendable (RejectedMessage) -> Void
  /// The part of the next message that has been read.
  private var message: [UInt8] = []
  /// Nil while more of `message` is needed.
  private var verdict: Verdict?
  private var budget: ValueBudget

  /// - Parameter reject: called with each rejected message.
  init(_ bounds: Bounds = Bounds(), reject: @escaping @Sendable (RejectedMessage) -> Void) {
    self.bounds = bounds
    self.reject = reject
    budget = ValueBudget(bounds.perSecond)
  }

  /// Reads and writes as much as possible, and removes what it has read and filled.
  mutating func convert(
    _ input: inout Slice<UnsafeRawBufferPointer>, into output: inout Slice<UnsafeMutableRawBufferPointer>
  ) throws(InvalidStream) {
    while try step(&input, &output) {}
  }

  /// False when more input or output is needed.
  private mutating func step(
    _ input: inout Slice<UnsafeRawBufferPointer>, _ output: inout Slice<UnsafeMutableRawBufferPointer>
  ) throws(InvalidStream) -> Bool {
    guard var verdict else {
      verdict = try judge(&input)
      return verdict != nil
    }
    let skipped = min(verdict.skipped, input.count)
    input.removeFirst(skipped)
    verdict.skipped -= skipped
    if verdict.skipped == 0 {
      let count = min(verdict.output.count, output.count)
      UnsafeMutableRawBufferPointer(rebasing: output.prefix(count)).copyBytes(from: verdict.output.prefix(count))
      output.removeFirst(count)
      verdict.output.removeFirst(count)
    }
    let isDone = verdict.skipped == 0 && verdict.output.isEmpty && input.popFirst() != nil
    self.verdict = isDone ? nil : verdict
    return isDone
  }

  /// Reads a message except for its last byte, or the header of one that is too large, and judges it. Nil when more
  /// input is needed.
  private mutating func judge(_ input: inout Slice<UnsafeRawBufferPointer>) throws(InvalidStream) -> Verdict? {
    guard read(MessageHead.fixedLength, &input) else { return nil }
    guard let head = MessageHead(message[...]) else { throw InvalidStream() }
    let isTooLarge = head.length > bounds.messageBytes
    let part = isTooLarge ? head.headerLength : head.length
    message.reserveCapacity(part)
    guard read(min(part, head.length - 1), &input) else { return nil }
    if part == head.length {
      guard let last = input.first else { return nil }
      message.append(last)
    }
    defer { message = [] }
    let fields = MessageFields(message.prefix(head.headerLength), head.byteOrder)
    let tooLarge = RejectedMessage.Reason.tooLarge(bytes: head.length, limit: bounds.messageBytes)
    guard let reason = isTooLarge ? tooLarge : fault(head, fields) else { return Verdict(output: message[...]) }
    return Verdict(skipped: max(0, head.length - 1 - message.count), output: rejected(reason, head, fields))
  }

  /// Reads until `message` has `count` bytes. False when the input ends before.
  private mutating func read(_ count: Int, _ input: inout Slice<UnsafeRawBufferPointer>) -> Bool {
    let missing = max(0, min(count - message.count, input.count))
    message += input.prefix(missing)
    input.removeFirst(missing)
    return message.count >= count
  }

  private mutating func fault(_ head: MessageHead, _ fields: MessageFields?) -> RejectedMessage.Reason? {
    guard let fields, head.kind != nil else { return .malformed }
    // Replies are to calls of this process.
    let isReply = head.kind == .methodReturn || head.kind == .error
    let sender = fields.sender ?? ""
    let allowance = isReply ? .max : budget.rest(of: sender)
    let limit = min(allowance, bounds.messageValues)
    var checked = limit
    defer { if !isReply { budget.spend(checked, of: sender) } }
    do throws(BodyValidation.Fault) {
      checked = try BodyValidation.check(
        message.dropFirst(head.headerLength), head.byteOrder, signature: fields.signature, valueLimit: limit)
      return nil
    } catch .tooManyValues {
      return limit < bounds.messageValues ? .tooManyValuesPerSecond : .tooManyValues(limit: limit)
    } catch {
      return .malformed
    }
  }

  /// Reports a rejected message; returns what takes its place.
  private func rejected(
    _ reason: RejectedMessage.Reason, _ head: MessageHead, _ fields: MessageFields?
  ) -> ArraySlice<UInt8> {
    let message = RejectedMessage(reason: reason, sender: fields?.sender, serial: head.expectsReply ? head.serial : nil)
    reject(message)
    return message.failure(head, fields)[...]
  }
}
