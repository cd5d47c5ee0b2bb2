// SPDX-License-Identifier: Apache-2.0
#if FoundationTypes
  import ChappieSDK
  import FoundationEssentials

  // `localizedDescription` equals `description`.

  extension ChappieThreadStoreError: LocalizedError {
    public var errorDescription: String? { description }
  }

  extension ChappieRuntimeError: LocalizedError {
    public var errorDescription: String? { description }
  }
#endif
