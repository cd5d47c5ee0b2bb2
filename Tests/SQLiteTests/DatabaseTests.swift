// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import Platform
import Testing

@testable import SQLite

final class DatabaseTests {
  private let directory: String
  private let database: Database

  init() throws {
    let temporary = FileManager.default.temporaryDirectory.path + "/chappie-sqlite-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: temporary, withIntermediateDirectories: false)
    // SQLite follows no link.
    directory = StorageDirectory(temporary).resolved.path
    try Data().write(to: URL(filePath: directory + "/test.db"))
    database = try Database(directory + "/test.db", busyTimeout: .zero)
    try database.useWriteAheadLog(busyTimeout: .seconds(10))
    try database.run("CREATE TABLE things (number INTEGER, text TEXT, bytes BLOB) STRICT")
  }

  deinit {
    try? FileManager.default.removeItem(atPath: directory)
  }

  private func count(in database: Database) throws -> Count? { try database.number("SELECT count(*) FROM things") }

  private func kind(_ body: () throws -> Void) -> DatabaseError.Kind? {
    do {
      try body()
      return nil
    } catch {
      return (error as? DatabaseError)?.kind
    }
  }

  @Test(
    arguments: [
      (0, "", []), (.max, "a 'quoted' – ‘ü’ 🌲 text", [0, 1, 255]), (.min, "'); DROP TABLE things; --", [7]),
      (-1, String(repeating: "x", count: 100_000), [UInt8](repeating: 3, count: 100_000)),
    ] as [(Int64, String, [UInt8])])
  func readsBoundValuesBack(_ number: Int64, _ text: String, _ bytes: [UInt8]) throws {
    try database.run("INSERT INTO things VALUES (?, ?, ?)", .integer(number), .text(text), .bytes(bytes))
    var rows = 0
    try database.forEach("SELECT * FROM things WHERE text = ?", .text(text)) { row in
      rows += 1
      #expect(row.integer(0) == number)
      #expect(row.text(1) == text)
      #expect(row.bytes(2) == bytes)
    }
    #expect(rows == 1)
  }

  @Test func returnsNilForNullAndForNoRow() throws {
    try database.run("INSERT INTO things VALUES (?, ?, ?)", .null, .null, .null)
    try database.forEach("SELECT * FROM things") { row in
      #expect(row.count(0) == nil && row.time(0) == nil)
      #expect(row.text(1) == "")
      #expect(row.bytes(2) == [])
    }
    #expect(try database.number("SELECT number FROM things") == nil)
    #expect(try database.number("SELECT number FROM things WHERE number = 1") == nil)
  }

  @Test func readsNumbersInTheirRangeAlone() throws {
    let day: Int64 = 86_400_000_000
    for (number, count, time): (Int64, Count?, Int64?) in [
      (.min, nil, nil), (-1, nil, nil), (0, 0, 0), (day + 7, Count(day + 7), 86_400),
      (1 << 53, .maximum, 9_007_199_254),
      (1 << 53 + 1, nil, 9_007_199_254), (253_402_300_799_999_999, nil, 253_402_300_799),
      (253_402_300_800_000_000, nil, nil), (.max, nil, nil),
    ] {
      try database.run("DELETE FROM things")
      try database.run("INSERT INTO things VALUES (?, 'a', x'00')", .integer(number))
      try database.forEach("SELECT number FROM things") { row in
        #expect(row.count(0) == count, "\(number)")
        #expect(row.time(0)?.seconds.unixSeconds == time, "\(number)")
      }
      #expect(try database.number("SELECT number FROM things") == count)
    }
  }

  @Test func rollsBackAFailedTransaction() throws {
    struct Failure: Error {}
    #expect(throws: Failure.self) {
      _ = try database.transaction(.writing) {
        try database.run("INSERT INTO things VALUES (1, 'a', x'00')")
        throw Failure()
      }
    }
    #expect(try count(in: database) == 0)
    try database.transaction(.writing) { try database.run("INSERT INTO things VALUES (1, 'a', x'00')") }
    #expect(try count(in: database) == 1)
  }

  @Test func allowsOneWriterAndReadersOfTheOldState() throws {
    let other = try Database(directory + "/test.db", busyTimeout: .milliseconds(10))
    let before = try other.dataVersion()
    try database.run("BEGIN IMMEDIATE")
    try database.run("INSERT INTO things VALUES (1, 'a', x'00')")
    #expect(kind { try other.transaction(.writing) {} } == .busy)
    #expect(try count(in: other) == 0)
    try database.run("COMMIT")
    #expect(try count(in: other) == 1)
    #expect(try other.dataVersion() != before)
  }

  @Test func reportsOtherFilesAsDamaged() throws {
    let path = directory + "/text.db"
    try Data("What I did on my holidays, and what came of it.".utf8).write(to: URL(filePath: path))
    let text = try Database(path, busyTimeout: .zero)
    #expect(kind { _ = try text.number("PRAGMA user_version") } == .damaged)
    #expect(kind { try database.run("SELECT * FROM nothing") } == .damaged)
  }

  @Test func followsNoLinkAndCreatesNoFile() throws {
    #expect(symlink("test.db", directory + "/link.db") == 0)
    for name in ["link.db", "none.db"] {
      #expect(kind { _ = try Database(directory + "/" + name, busyTimeout: .zero) } == .cannotOpen, "\(name)")
    }
    #expect(access(directory + "/none.db", F_OK) != 0)
  }

  /// The name contains characters with a meaning in URIs.
  @Test func readsAnImmutableDatabaseAndDoesNotWrite() throws {
    try database.run("INSERT INTO things VALUES (1, 'a', x'00')")
    let name = "50%20 of?mode=rw#what.db"
    try database.run("VACUUM INTO ?", .text(directory + "/" + name))
    let copy = try Database(directory + "/" + name, .immutable, busyTimeout: .zero)
    #expect(copy.isReadOnly)
    #expect(try count(in: copy) == 1)
    #expect(kind { try copy.run("DELETE FROM things") } == .readOnly)
    let names = try FileManager.default.contentsOfDirectory(atPath: directory)
    #expect(names.filter { $0.hasPrefix("50") } == [name])
  }

  @Test func checkpointsOnCloseOnlyWhenAsked() throws {
    let path = directory + "/other.db"
    try Data().write(to: URL(filePath: path))
    for clears in [false, true] {
      do {
        let other = try Database(path, busyTimeout: .zero)
        try other.useWriteAheadLog(busyTimeout: .seconds(10))
        try other.run("CREATE TABLE IF NOT EXISTS things (number INTEGER)")
        try other.run("INSERT INTO things VALUES (1)")
        if clears { other.checkpointsOnClose() }
      }
      #expect((access(path + "-wal", F_OK) == 0) == !clears)
    }
    #expect(try count(in: Database(path, busyTimeout: .zero)) == 2)
  }

  /// Triggers in a hostile database must not run.
  @Test func doesNotRunTriggers() throws {
    try database.run(
      "CREATE TRIGGER twice AFTER INSERT ON things BEGIN INSERT INTO things VALUES (2, 'b', x'00'); END")
    try database.run("INSERT INTO things VALUES (1, 'a', x'00')")
    #expect(try count(in: database) == 1)
  }

  @Test func errorsContainNothingOfTheStatement() {
    #expect {
      try database.run("SELECT secret FROM things")
    } throws: { error in
      !"\(error)".contains("secret") && "\(error)".contains("(1)")
    }
  }
}
