// SPDX-License-Identifier: Apache-2.0
#if FoundationTypes
  import ChappieSDK
  import FoundationEssentials

  extension ChappieThreadSummary {
    /// ``createdAt`` as a date, to the microsecond if that is known.
    public var creationDate: Date { Date(unixSeconds: createdAt, microseconds: createdAtMicroseconds) }
    /// ``updatedAt`` as a date, to the microsecond if that is known.
    public var updateDate: Date { Date(unixSeconds: updatedAt, microseconds: updatedAtMicroseconds) }
    /// ``archivedAt`` as a date; nil for an active thread.
    public var archiveDate: Date? { archivedAt.map { Date(unixSeconds: $0) } }
  }

  extension ChappieTurn {
    /// ``recordedAt`` as a date, to the microsecond if that is known.
    public var recordingDate: Date { Date(unixSeconds: recordedAt, microseconds: recordedAtMicroseconds) }
  }

  // `localizedDescription` equals `description`.

  extension ChappieThreadStoreError: LocalizedError {
    public var errorDescription: String? { description }
  }

  extension ChappieRuntimeError: LocalizedError {
    public var errorDescription: String? { description }
  }
#endif
