// SPDX-License-Identifier: Apache-2.0
import GLibBridge

extension World.Plan.Transport {
  /// A configuration without retries and without the fallback.
  var impatient: VariantDictionary { reconnecting(0) }

  /// A configuration without retries, without the fallback, and with this number of reconnections.
  func reconnecting(_ attempts: Int32, fallsBack: Bool = false) -> VariantDictionary {
    let transport: VariantDictionary = [
      "prefers_web_socket": self == .webSocket, "max_web_socket_reconnection_attempts": attempts,
      "falls_back_to_http_sse": fallsBack,
    ]
    return [
      "streaming_transport_policy": transport,
      "rate_limit_backoff": ["max_retries": Int32(0)] as VariantDictionary,
    ]
  }
}
