import ChappieSDK
import ChappieSDKTesting
import Foundation

// example-ask QUESTION [ISSUER BACKEND]: with addresses, it asks the stand-in server there.
let arguments = CommandLine.arguments
guard [2, 4].contains(arguments.count) else {
  FileHandle.standardError.write(Data("Usage: example-ask QUESTION [ISSUER BACKEND]\n".utf8))
  exit(2)
}
var configuration = ChappieConfiguration(keychainService: "org.example.Ask")
do {
  if arguments.count == 4 { configuration = try configuration.servedBy(issuer: arguments[2], baseURL: arguments[3]) }
  try await ask(arguments[1], configuration)
  print()
} catch {
  FileHandle.standardError.write(Data("\(error.localizedDescription)\n".utf8))
  exit(1)
}
