// SPDX-License-Identifier: Apache-2.0

/// The version of this release.
public enum ChappieVersion {
  /// A semantic version, such as `0.2.0`.
  public static let current = "0.2.0"
}
