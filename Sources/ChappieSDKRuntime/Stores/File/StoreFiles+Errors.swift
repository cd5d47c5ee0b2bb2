import GLibBridge

extension StoreFiles {
  /// Runs what reads files.
  ///
  /// - Throws: ``ChappieThreadStoreError``.
  func reading<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as StorageError {
      throw ChappieThreadStoreError(error, "read", directory)
    }
  }

  /// Runs what writes files.
  ///
  /// - Throws: ``ChappieThreadStoreError``.
  func writing<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as StorageError {
      throw ChappieThreadStoreError(error, "written", directory)
    }
  }
}

extension ChappieThreadStoreError {
  static let notInTime = Self.unavailable("The disk that holds the threads does not answer: look after it.")

  init(_ error: StorageError, _ deed: String, _ directory: StorageDirectory) {
    switch error {
    case .full: self = .full("The disk is full: make room in \(directory.path), or delete threads.")
    default: self = .unavailable("The threads in \(directory.path) cannot be \(deed): \(error).")
    }
  }
}
