// SPDX-License-Identifier: Apache-2.0
import CGLib

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
    /// The maximum number of file descriptors that come with one message.
    var messageDescriptors = 16
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
  private let files: MessageFiles
  private let reject: @Sendable (RejectedMessage) -> Void
  /// The part of the next message that has been read.
  private var message: [UInt8] = []
  /// Nil while more of `message` is needed.
  private var verdict: Verdict?
  private var budget: ValueBudget
  /// The number of bytes of the stream that were received, and of those before `message`.
  private var received = 0
  private var start = 0
  /// The files of messages that have not been judged. The bytes of such a message go to `end` at least.
  private var arrivals: [(end: Int, files: [PassedFile])] = []

  /// - Parameters:
  ///   - files: takes the files of calls that pass.
  ///   - reject: called with each rejected message.
  init(
    _ bounds: Bounds = Bounds(), files: MessageFiles = MessageFiles(),
    reject: @escaping @Sendable (RejectedMessage) -> Void
  ) {
    self.bounds = bounds
    self.files = files
    self.reject = reject
    budget = ValueBudget(bounds.perSecond)
  }

  /// Counts received bytes, which ``convert(_:into:)`` gets later, and takes the files that came with them. The kernel
  /// ends what it gives at once with bytes of the message that the files belong to.
  mutating func receive(_ count: Int, _ files: [PassedFile]) {
    received += count
    if !files.isEmpty { arrivals.append((received, files)) }
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
    guard let head = try? MessageHead(message[...]) else { throw InvalidStream() }
    let isTooLarge = head.length > bounds.messageBytes
    let part = isTooLarge ? head.headerLength : head.length
    message.reserveCapacity(part)
    guard read(min(part, head.length - 1), &input) else { return nil }
    if part == head.length {
      guard let last = input.first else { return nil }
      message.append(last)
    }
    defer { message = [] }
    let fields = try? MessageFields(message.prefix(head.headerLength), head.byteOrder)
    let arrived = takeFiles(of: head)
    let tooLarge = RejectedMessage.Reason.tooLarge(bytes: head.length, limit: bounds.messageBytes)
    let reason = isTooLarge ? tooLarge : fault(head, fields) ?? pass(arrived, head, fields)
    guard let reason else { return Verdict(output: message[...]) }
    return Verdict(skipped: max(0, head.length - 1 - message.count), output: rejected(reason, head, fields))
  }

  /// Removes the files that came with a message.
  private mutating func takeFiles(of head: MessageHead) -> [PassedFile] {
    let first = start
    start += head.length
    let end = start
    defer { arrivals.removeAll { $0.end <= end } }
    return arrivals.filter { $0.end > first && $0.end <= end }.flatMap(\.files)
  }

  /// Leaves the files of a call for the inbox, which finds them by what takes the place of their number in the header.
  /// Other messages lose their files.
  private mutating func pass(
    _ arrived: [PassedFile], _ head: MessageHead, _ fields: MessageFields?
  ) -> RejectedMessage.Reason? {
    guard head.kind == .methodCall, let fields, let offset = fields.descriptorCountOffset, fields.descriptorCount > 0
    else { return nil }
    guard fields.descriptorCount <= bounds.messageDescriptors else {
      return .tooManyDescriptors(limit: bounds.messageDescriptors)
    }
    guard arrived.count == fields.descriptorCount else { return .descriptorsLost }
    if let ticket = files.add(arrived) {
      message.replaceSubrange(offset..<offset + 4, with: head.byteOrder.bytes(of: ticket))
    }
    return nil
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
    let sender = fields.sender ?? ""
    let allowance = head.isReply ? .max : budget.rest(of: sender)
    let limit = min(allowance, bounds.messageValues)
    var checked = limit
    defer { if !head.isReply { budget.spend(checked, of: sender) } }
    do throws(WireFault) {
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

/// A message that ``MessageGuard`` has rejected.
struct RejectedMessage: Sendable {
  enum Reason: Sendable {
    case tooLarge(bytes: Int, limit: Int)
    case tooManyValues(limit: Int)
    /// The values of its sender in this second, or those of all senders, are spent.
    case tooManyValuesPerSecond
    case tooManyDescriptors(limit: Int)
    /// This process has too many descriptors, or file systems do not answer.
    case descriptorsLost
    case malformed
  }

  let reason: Reason
  /// The sender; nil when the header cannot be read.
  let sender: String?
  /// The serial of the call that expects a reply; nil for other messages.
  let serial: UInt32?

  /// The error that takes the place of a reply, in the wire format; empty when the message is not a reply.
  func failure(_ head: MessageHead, _ fields: MessageFields?) -> [UInt8] {
    guard head.isReply, let fields, let replySerial = fields.replySerial, let sender else { return [] }
    let error = BusError.ofBus("LimitsExceeded", "the reply \(reason)").reply(toCall: replySerial)
    defer { g_object_unref(UnsafeMutableRawPointer(error)) }
    g_dbus_message_set_sender(error, sender)
    // Serials matter for calls only, and 0 is invalid.
    g_dbus_message_set_serial(error, .max)
    return [UInt8](encoding: error, G_DBUS_CAPABILITY_FLAGS_NONE)
  }
}

extension RejectedMessage.Reason: CustomStringConvertible {
  /// A clause whose subject is the message.
  var description: String {
    switch self {
    case .tooLarge(let bytes, let limit): "has \(bytes) bytes, and \(limit) are allowed"
    case .tooManyValues(let limit): "has more than \(limit) values"
    case .tooManyValuesPerSecond: "has more values than are left in this second"
    case .tooManyDescriptors(let limit): "has more than \(limit) file descriptors"
    case .descriptorsLost: "has file descriptors, and too many are in use"
    case .malformed: "does not conform to the D-Bus specification"
    }
  }
}
