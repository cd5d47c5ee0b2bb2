#if FoundationTypes
  import FoundationEssentials

  // `localizedDescription` says what `description` does.

  extension ChappieThreadStoreError: LocalizedError {
    public var errorDescription: String? { description }
  }

  extension ChappieRuntimeError: LocalizedError {
    public var errorDescription: String? { description }
  }
#endif
