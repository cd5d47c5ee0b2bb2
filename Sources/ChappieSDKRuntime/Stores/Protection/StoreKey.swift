import SecretMemory

/// What a store seals with now.
struct StoreKey: Sendable {
  let secret: SecretBytes
  /// A name for this device: what another one has sealed says nothing here.
  let device: String
}
