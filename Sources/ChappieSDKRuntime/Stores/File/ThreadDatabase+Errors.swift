import GLibBridge
import Platform
import SQLite

extension ChappieThreadStoreError {
  static let notInTime = Self.unavailable("The disk that holds the threads does not answer: look after it.")

  static func damaged(_ directory: StorageDirectory) -> Self {
    .unreadable(
      "The database of the threads in \(directory.path) is damaged and was left as it is: put a good copy in its place, or delete all threads to begin anew."
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
        "The threads in \(directory.path) cannot be used because of one of the files there, which is to be removed: \(error)."
      )
    default: self = .unavailable("The threads in \(directory.path) cannot be used: \(error).")
    }
  }

  private static func diskIsFull(_ directory: StorageDirectory) -> Self {
    .full("The disk is full: make room in \(directory.path), or delete all threads.")
  }
}
