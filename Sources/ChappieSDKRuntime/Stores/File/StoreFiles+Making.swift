import GLibBridge

/// How the files of threads come and go.
extension StoreFiles {
  /// Writes the file of a new thread, which has none yet: all of it or nothing.
  ///
  /// - Throws: ``ChappieThreadStoreError``.
  func make(_ id: String, _ content: [UInt8]) throws {
    try writing {
      try BackupExclusion.writeMarks(
        in: directory, content: "Conversations of Chappie, sealed with a key of this device: of no use elsewhere.")
      do {
        let file = try directory.file(Self.newName, for: .replacing)
        try file.write(content, at: 0, durably: true)
        try directory.rename(Self.newName, to: id + Self.threadSuffix)
        try directory.synchronize()
        guard attempt.settle() else { throw ChappieThreadStoreError.notInTime }
      } catch {
        try? directory.remove(Self.newName)
        try? directory.remove(id + Self.threadSuffix)
        throw error
      }
    }
  }

  /// - Throws: ``ChappieThreadStoreError/unavailable(_:)``.
  func remove(_ id: String) throws {
    try writing { try directory.remove(id + Self.threadSuffix) }
  }

  /// Removes what is stored, whether it can be read or not. What keeps the directory out of backups stays.
  ///
  /// - Throws: ``ChappieThreadStoreError/unavailable(_:)``.
  mutating func removeAll() throws {
    forget()
    try writing {
      for (id, _) in try directory.files(suffix: Self.threadSuffix) { try directory.remove(id + Self.threadSuffix) }
      for name in IndexFile.names + [Self.newName, Self.workName] { try directory.remove(name) }
      try directory.synchronize()
    }
  }

  /// - Throws: ``ChappieThreadStoreError/unavailable(_:)``.
  func holdsThreads() throws -> Bool {
    try reading { try !directory.files(suffix: Self.threadSuffix).isEmpty }
  }

  /// Waits until it is on the disk which threads there are.
  ///
  /// - Throws: ``ChappieThreadStoreError/unavailable(_:)``.
  func synchronize() throws {
    try writing { try directory.synchronize() }
  }
}
