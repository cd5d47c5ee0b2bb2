// SPDX-License-Identifier: Apache-2.0

// Every file of these tests sees these modules.
@_exported import Platform
@_exported import SecretMemory
@_exported import TestSupport
@_exported import Testing
