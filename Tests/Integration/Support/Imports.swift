// SPDX-License-Identifier: Apache-2.0

// Every file of these tests sees these modules.
@_exported import Foundation
@_exported import GLibBridge
@_exported import TestSupport
@_exported import Testing
