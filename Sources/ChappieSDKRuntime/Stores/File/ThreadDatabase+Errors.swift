import GLibBridge
import Platform
import SQLite

extension ChappieThreadStoreError {
  static let timedOut = Self.unavailable("The disk that holds the threads does not answer: check the disk.")

  static func damaged(_ directory: StorageDirectory) -> Self {
    .unreadable(
      "The database of the threads in \(directory.path) is damaged and was not changed: replace it by a good copy, or delete all threads to start over."
    )
  }

  init(_ error: DatabaseError, _ directory: StorageDirectory) {
    switch error.kind {
    case .busy: self = .busy("Another program has been writing to the stored threads: try again.")
    case .full: self = .diskIsFull(directory)
    case .damaged: self = .damaged(directory)
    case .readOnly: self = .unavailable("The threads in \(directory.path) cannot be written: \(error).")
    case .cannotOpen, .other: self = .unavailable("The threads in \(directory.path) cannot be used: \(error).")
    }
  }

  init(_ error: FileError, _ directory: StorageDirectory) {
    switch error {
    case .full: self = .diskIsFull(directory)
    case .symbolicLink, .notRegular, .hardLink, .foreign:
      self = .unavailable(
        "The threads in \(directory.path) cannot be used because of a file there that must be removed: \(error)."
      )
    default: self = .unavailable("The threads in \(directory.path) cannot be used: \(error).")
    }
  }

  private static func diskIsFull(_ directory: StorageDirectory) -> Self {
    .full("The disk is full: make room in \(directory.path), or delete all threads.")
  }
}
