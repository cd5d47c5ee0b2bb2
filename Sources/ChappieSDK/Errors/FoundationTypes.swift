// SPDX-License-Identifier: Apache-2.0
#if FoundationTypes
  import FoundationEssentials

  extension ChappieDeviceCode {
    /// ``expiresAt`` as a date.
    public var expirationDate: Date { Date(unixSeconds: expiresAt) }
  }

  extension ChappieClientContext {
    /// ``createdAt`` as a date.
    public var creationDate: Date { Date(unixSeconds: createdAt) }
    /// ``updatedAt`` as a date.
    public var updateDate: Date { Date(unixSeconds: updatedAt) }
  }

  extension ChappieUsageLimit {
    /// ``resetsAt`` as a date.
    public var resetDate: Date? { resetsAt.map { Date(unixSeconds: $0) } }
  }

  extension ChappieUsageWindow {
    /// ``resetsAt`` as a date.
    public var resetDate: Date? { resetsAt.map { Date(unixSeconds: $0) } }
  }

  extension Date {
    /// - Parameter microseconds: the microseconds after `unixSeconds`.
    package init(unixSeconds: Int64, microseconds: Int32 = 0) {
      self.init(timeIntervalSince1970: Double(unixSeconds) + Double(microseconds) / 1_000_000)
    }
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
    var sentence: String { (self as? any LocalizedError)?.errorDescription ?? "\(self)" }
  }
#else
  extension Error {
    /// What a tool's error tells the model.
    var sentence: String { "\(self)" }
  }
#endif
