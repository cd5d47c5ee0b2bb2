// SPDX-License-Identifier: Apache-2.0
import CGLib
import CLibsoup
import SecretMemory

/// An HTTP/1.1 client with the desktop's proxies and trust store, by libsoup. Requests to the loopback use no proxy.
///
/// HTTP/2 is disabled: with it, libsoup 3.2 ignores cancellation until the head of the response arrives. The session
/// has no cookies and no cache, and follows no redirects: it returns such responses unchanged.
@GLibActor
public final class HTTPSession {
  private let session: UnsafeMutablePointer<SoupSession>
  /// For servers on the loopback. Requests to them may be unencrypted, so they must not pass through a proxy.
  private let directSession: UnsafeMutablePointer<SoupSession>

  /// - Parameters:
  ///   - userAgent: the `User-Agent` of each request that does not set its own; nil sends none.
  ///   - maxConnections: the maximum number of connections, in total and to one host.
  public init(userAgent: String? = nil, maxConnections: Int = 128) {
    session = Self.makeSession(userAgent: userAgent, maxConnections: maxConnections)
    directSession = Self.makeSession(userAgent: userAgent, maxConnections: maxConnections)
    soup_session_set_proxy_resolver(directSession, nil)
  }

  isolated deinit {
    for session in [session, directSession] {
      soup_session_abort(session)
      g_object_unref(session)
    }
  }

  /// The session for `request`. Requests to the loopback bypass the proxies of the environment and the desktop.
  func session(for request: HTTPRequest) -> UnsafeMutablePointer<SoupSession> {
    ParsedURL(request.url)?.isLoopback == true ? directSession : session
  }

  /// Sends `request` and returns when the head of the response has arrived.
  ///
  /// - Parameter deadline: the longest wait for the head of the response; nil for none.
  /// - Throws: ``GLibError`` when no response arrives, `CancellationError`.
  public func send(_ request: HTTPRequest, deadline: Duration?) async throws -> HTTPResponse {
    let message = try makeMessage(request)
    defer { g_object_unref(UnsafeMutableRawPointer(message)) }
    let session = session(for: request)
    do {
      let response = try await asyncCall(deadline: deadline) { cancellable, callback, data in
        soup_session_send_async(session, message, 0, cancellable, callback, data)
      } finish: { result, error in
        let message = soup_session_get_async_result_message(session, result)
        return soup_session_send_finish(session, result, &error).map { Self.response(to: message, body: $0) }
      }
      try Self.checkResponseIsFromServer(message)
      return response
    } catch let error as GLibError {
      throw error.explained(for: message)
    }
  }

  private static func response(to message: OpaquePointer?, body: UnsafeMutablePointer<GInputStream>) -> HTTPResponse {
    HTTPResponse(
      status: Int(soup_message_get_status(message).rawValue),
      headers: HTTPHeaders(soup_message_get_response_headers(message)), body: body)
  }

  private static func makeSession(userAgent: String?, maxConnections: Int) -> UnsafeMutablePointer<SoupSession> {
    let limit = Int32(clamping: maxConnections)
    let session = newObject(soup_session_get_type(), ["max-conns": limit, "max-conns-per-host": limit])
    guard let session else { preconditionFailure("libsoup made no session") }
    let made = UnsafeMutableRawPointer(session).assumingMemoryBound(to: SoupSession.self)
    if let userAgent { soup_session_set_user_agent(made, userAgent) }
    // The caller sets idle and total deadlines, because it knows the expected pauses.
    soup_session_set_timeout(made, 0)
    TrustStore.shared.use(in: made)
    // libsoup 3.2 does not limit the decompressed size of WebSocket messages.
    soup_session_remove_feature_by_type(made, soup_websocket_extension_manager_get_type())
    return made
  }

  func makeMessage(_ request: HTTPRequest) throws -> OpaquePointer {
    try TrustStore.shared.check(request.url)
    try TestHosts.check(request.url)
    guard let message = soup_message_new(request.method.rawValue, request.url) else {
      throw GLibError(domain: "chappie-http", code: 0, message: "not an HTTP URL: \(request.url)")
    }
    soup_message_set_flags(message, SOUP_MESSAGE_NO_REDIRECT)
    offerOnlyHTTP1(message)
    let headers = soup_message_get_request_headers(message)
    for (name, value) in request.headers { Self.append(name, value, to: headers) }
    if let willSend = request.willSend { onSignal("starting", of: message, willSend) }
    if let body = request.body {
      let bytes = Self.bytes(of: body)
      soup_message_set_request_body_from_bytes(message, request.contentType, bytes)
      g_bytes_unref(bytes)
    }
    return message
  }

  /// Removes HTTP/2 from the ALPN protocols of the connection, before the TLS handshake.
  private func offerOnlyHTTP1(_ message: OpaquePointer) {
    let callback:
      @convention(c) (OpaquePointer?, GSocketClientEvent, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> Void =
        { _, event, connection, _ in
          guard event == G_SOCKET_CLIENT_TLS_HANDSHAKING else { return }
          withCStrings(["http/1.1"]) { chappie_offer_protocols(connection, $0) }
        }
    g_signal_connect_data(
      UnsafeMutableRawPointer(message), "network-event", unsafeBitCast(callback, to: GCallback.self), nil, nil,
      GConnectFlags(rawValue: 0))
  }

  private static func append(_ name: String, _ value: HTTPRequest.FieldValue, to headers: OpaquePointer?) {
    switch value {
    case .plain(let text):
      soup_message_headers_append(headers, name, text)
    case .secret(let prefix, let secret):
      let line = SecretBytes(count: prefix.utf8.count + secret.count + 1) { line in
        let offset = line.write(prefix.utf8, at: 0)
        let end = line.write(secret, at: offset)
        _ = line.write(CollectionOfOne(0), at: end)
      }
      line.withBytes { bytes in
        soup_message_headers_append(headers, name, bytes.bindMemory(to: CChar.self).baseAddress)
      }
    }
  }

  private static func bytes(of body: HTTPRequest.Body) -> OpaquePointer? {
    switch body {
    case .bytes(let bytes):
      g_bytes_new(bytes, gsize(bytes.count))
    case .secret(let secret):
      secret.withBytes { bytes in
        g_bytes_new_with_free_func(
          bytes.baseAddress, gsize(bytes.count),
          { data in data.map { Unmanaged<SecretBytes>.fromOpaque($0).release() } },
          Unmanaged.passRetained(secret).toOpaque())
      }
    }
  }
}
