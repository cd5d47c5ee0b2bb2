/// The version of this release.
public enum ChappieVersion {
  public static let current = "0.1.0"
}
