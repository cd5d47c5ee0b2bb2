// SPDX-License-Identifier: Apache-2.0

/// The version of this release.
public enum ChappieVersion {
  public static let current = "0.2.0"
}
