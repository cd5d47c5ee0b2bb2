// SPDX-License-Identifier: Apache-2.0
import CGLib
import CLibsoup
import GLibBridge

/// Rejects request bodies above a limit with status 413, without keeping them in memory.
///
/// A client that sends `Expect: 100-continue` is rejected before it sends the body. Other clients may send all of it,
/// because most of them read no response before that.
@GLibActor
final class HTTPServerBodyLimit {
  private let message: OpaquePointer
  private var rest: Int

  /// Applies a limit to a message whose head has been received. The message keeps the counter alive.
  static func apply(_ limit: Int, to message: OpaquePointer) {
    let headers = soup_server_message_get_request_headers(message)
    switch soup_message_headers_get_encoding(headers) {
    case SOUP_ENCODING_CONTENT_LENGTH:
      if soup_message_headers_get_content_length(headers) > limit { refuse(message) }
    case SOUP_ENCODING_CHUNKED:
      HTTPServerBodyLimit(limit, message).countChunks()
    default:
      break
    }
  }

  private init(_ limit: Int, _ message: OpaquePointer) {
    self.message = message
    rest = limit
  }

  /// Counts the bytes of a chunked body.
  private func countChunks() {
    typealias Callback = @convention(c) (OpaquePointer?, OpaquePointer?, UnsafeMutableRawPointer?) -> Void
    let callback: Callback = { _, chunk, data in
      GLibActor.assumeIsolated { CallbackBox<HTTPServerBodyLimit>.of(data).closure.received(chunk) }
    }
    onSignal("got-chunk", of: message, self, unsafeBitCast(callback, to: GCallback.self))
  }

  private func received(_ chunk: OpaquePointer?) {
    rest -= Int(clamping: g_bytes_get_size(chunk))
    if rest < 0 { Self.refuse(message) }
  }

  /// libsoup does not call the handler for a message that already has a status.
  private static func refuse(_ message: OpaquePointer) {
    guard soup_server_message_get_status(message) == 0 else { return }
    let body = soup_server_message_get_request_body(message)
    soup_message_body_set_accumulate(body, 0)
    soup_message_body_truncate(body)
    soup_server_message_set_status(message, 413, nil)
    soup_message_headers_replace(soup_server_message_get_response_headers(message), "connection", "close")
    let text = "the body is too long\n"
    soup_server_message_set_response(message, "text/plain", SOUP_MEMORY_COPY, text, gsize(text.utf8.count))
  }
}
