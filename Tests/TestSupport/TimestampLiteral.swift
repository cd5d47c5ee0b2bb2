// SPDX-License-Identifier: Apache-2.0
import Platform

extension Timestamp: ExpressibleByIntegerLiteral {
  /// Unix seconds; the nearest time for a number out of range.
  public init(integerLiteral unixSeconds: Int64) { self.init(clamping: unixSeconds) }
}
