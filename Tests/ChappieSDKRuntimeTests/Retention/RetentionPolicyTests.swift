// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import ChappieSDKRuntime

struct RetentionPolicyTests {
  @Test func theDefaultsAre256MiBAnd30And60Days() {
    let policy = ChappieThreadStoreRetentionPolicy.default
    #expect(policy.maximumTotalBytes == Int64(256 * 1024 * 1024))
    #expect(policy.archiveInactiveAfter == Double(30 * 24 * 3600))
    #expect(policy.deleteArchivedAfter == Double(60 * 24 * 3600))
  }

  @Test func negativeNumbersAndNaNCountAsZero() {
    let policy = ChappieThreadStoreRetentionPolicy(
      maximumTotalBytes: -1, archiveInactiveAfter: .nan, deleteArchivedAfter: -5)
    #expect(
      policy
        == ChappieThreadStoreRetentionPolicy(
          maximumTotalBytes: 0, archiveInactiveAfter: 0, deleteArchivedAfter: 0))
  }
}
