import GLibBridge
import Platform

/// A secret of the keyring, as `Manager.Erase` and `SignOutApplication` return it.
struct ErasedPart {
  private let isKey: Bool
  private let owner: String
  private let errorName: String?
  private let message: String

  init(_ values: VariantDictionary) throws {
    isKey = try values.value("kind") == "thread-key"
    var owner = tr("“\(try values.value("account") ?? "")”")
    if let app: String = try values.value("app") { owner = tr("\(owner) of \(app)") }
    if let group: String = try values.value("access_group") { owner = tr("\(owner) in the group \(group)") }
    self.owner = owner.terminalSafeLine
    errorName = try values.value("error")
    message = ServiceSentences.translated(try values.value("message") ?? "")
  }

  var status: ExitStatus { errorName.map(ExitStatus.init(errorName:)) ?? .success }

  /// Whether it is a credential that is still in the keyring.
  var isStored: Bool { !isKey && status != .success && status != .notRevoked }

  /// The exit status for all of them: a secret that is still stored counts most.
  static func status(of parts: [ErasedPart]) -> ExitStatus {
    parts.first { $0.isStored }?.status ?? parts.first { $0.status != .success }?.status ?? .success
  }

  /// Says what became of it.
  func report() {
    switch (isKey, status) {
    case (true, .success): StandardStream.output.write(tr("Deleted the threads of \(owner).") + "\n")
    case (false, .success): StandardStream.output.write(tr("Signed out \(owner).") + "\n")
    case (true, _): CommandFailure.report(tr("The key of the threads of \(owner) stays in the keyring. \(message)"))
    case (false, .notRevoked):
      StandardStream.output.write(tr("Signed out \(owner).") + "\n")
      CommandFailure.report(message)
    case (false, _): CommandFailure.report(tr("\(owner) is still signed in. \(message)"))
    }
  }
}
