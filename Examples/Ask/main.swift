import ChappieSDK
import ChappieSDKTesting
import Foundation

// example-ask QUESTION [ISSUER BACKEND]: with addresses, it asks the stand-in server there.
let arguments = CommandLine.arguments.dropFirst()
var configuration = ChappieConfiguration(keychainService: "org.example.Ask")
do {
  if arguments.count == 3 { configuration = try configuration.servedBy(issuer: arguments[2], baseURL: arguments[3]) }
  try await ask(arguments[1], configuration)
  print()
} catch {
  FileHandle.standardError.write(Data("\n\(error.localizedDescription)\n".utf8))
  exit(1)
}
