import CGLib

/// SHA-256, by GLib.
public enum SHA256 {
  /// The digest of `bytes`, 32 bytes.
  public static func digest(of bytes: [UInt8]) -> [UInt8] {
    let checksum = g_checksum_new(G_CHECKSUM_SHA256)
    defer { g_checksum_free(checksum) }
    g_checksum_update(checksum, bytes, gssize(bytes.count))
    var count: gsize = 32
    var digest = [UInt8](repeating: 0, count: Int(count))
    g_checksum_get_digest(checksum, &digest, &count)
    return digest
  }
}
