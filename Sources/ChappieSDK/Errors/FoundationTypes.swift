// SPDX-License-Identifier: Apache-2.0
import Platform

#if FoundationTypes
  import FoundationEssentials

  /// A time: `Date`. Without the package's trait `FoundationTypes`, Unix seconds in UTC, as `Int64`.
  public typealias ChappieTime = Date
  /// An address: `URL`. Without the package's trait `FoundationTypes`, its text.
  public typealias ChappieAddress = URL

  extension Date {
    /// - Parameter microseconds: the microseconds after `unixSeconds`.
    package init(unixSeconds: Int64, microseconds: Int32 = 0) {
      self.init(timeIntervalSince1970: Double(unixSeconds) + Double(microseconds) / 1_000_000)
    }

    /// 0 for a time before 1970 or after 9999.
    package var unixSeconds: Int64 { Timestamp(timeIntervalSince1970)?.unixSeconds ?? 0 }

    /// The microseconds after ``unixSeconds``, 0 to 999,999.
    package var microseconds: Int32 {
      let rest = (timeIntervalSince1970 - timeIntervalSince1970.rounded(.down)) * 1_000_000
      return min(999_999, Int32(exactly: rest.rounded()) ?? 0)
    }
  }

  extension URL {
    /// - Parameter address: an address that GLib has parsed. Foundation parses it too, so the other form is never made.
    package init(address: String) { self = URL(string: address) ?? URL(filePath: address) }

    package var address: String { absoluteString }
  }

  extension ChappieAuthError: LocalizedError {
    /// Same as ``description``, also as `localizedDescription`.
    public var errorDescription: String? { description }
  }

  extension ChappieClientError: LocalizedError {
    /// Same as ``description``, also as `localizedDescription`.
    public var errorDescription: String? { description }
  }

  extension Error {
    /// What a tool's error tells the model.
    package var sentence: String { (self as? any LocalizedError)?.errorDescription ?? "\(self)" }
  }
#else
  /// A time: Unix seconds in UTC. With the package's trait `FoundationTypes`, `Date`.
  public typealias ChappieTime = Int64
  /// An address: its text. With the package's trait `FoundationTypes`, `URL`.
  public typealias ChappieAddress = String

  extension Int64 {
    package init(unixSeconds: Int64, microseconds: Int32 = 0) { self = unixSeconds }

    package var unixSeconds: Int64 { self }
    package var microseconds: Int32 { 0 }
  }

  extension String {
    package init(address: String) { self = address }

    package var address: String { self }
  }

  extension Error {
    /// What a tool's error tells the model.
    package var sentence: String { "\(self)" }
  }
#endif
