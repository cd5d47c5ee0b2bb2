import GLibBridge

/// The fixed paths.
enum ServicePaths {
  static let root = ObjectPath.root.appending("org").appending("chappie")
  static let accounts = root.appending("account")
}

/// The interfaces that more than one file names.
enum ServiceInterfaces {
  static let client = "org.chappie.Client"
  static let threads = "org.chappie.Threads"
}
