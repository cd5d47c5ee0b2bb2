import ChappieSDKRuntime
import ChappieSDKTesting
import Testing

@Suite
struct InMemoryThreadStoreTests {
  @Test func isAStore() async throws {
    try await ChappieThreadStoreConformance.run { ChappieInMemoryThreadStore() }
  }
}
