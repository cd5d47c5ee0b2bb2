import Testing

@testable import ChappieService

struct NotificationOptionTests {
  @Test func notificationsAreOnByDefault() throws {
    var options = ServiceOptions()
    #expect(try options.hasNotifications())
    options.notifications = "true"
    #expect(try options.hasNotifications())
    options.notifications = "false"
    #expect(try !options.hasNotifications())
  }

  @Test(arguments: ["", "no", "FALSE", "0"]) func rejectsOtherWords(_ word: String) throws {
    var options = ServiceOptions()
    options.notifications = word
    let failure = #expect(throws: StartFailure.self) { try options.hasNotifications() }
    #expect(
      failure?.description == "[Notifications] Enabled= in the configuration must be true or false, not “\(word)”.")
  }
}
