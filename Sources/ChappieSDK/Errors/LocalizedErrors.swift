#if FoundationTypes
  import FoundationEssentials

  // `localizedDescription` says what `description` does.

  extension ChappieAuthError: LocalizedError {
    public var errorDescription: String? { description }
  }

  extension ChappieClientError: LocalizedError {
    public var errorDescription: String? { description }
  }
#endif
