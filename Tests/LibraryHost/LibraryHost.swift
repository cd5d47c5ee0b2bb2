import ChappieSDK
import Glibc

/// A program with the library in its own process, beside the service: `library-host ISSUER BACKEND TEXT` sends the
/// text and prints the answer.
@main
enum LibraryHost {
  static func main() async {
    do {
      let arguments = CommandLine.arguments
      var configuration = ChappieConfiguration()
      configuration.backend = try ChappieBackend(issuer: arguments[1], baseURL: arguments[2])
      print(try await Chappie.client(configuration: configuration).send(arguments[3]))
    } catch {
      print(error)
      exit(1)
    }
  }
}
