// SPDX-License-Identifier: Apache-2.0

/// The models and the usage of the ChatGPT plan, as a caller sees them.
extension Caller {
  func models(_ filter: VariantDictionary = [:], at path: ObjectPath = .chappie) async throws -> [VariantDictionary] {
    try await call("Client.ListModels", filter, at: path).member(0, "models")
  }

  func slugs(_ filter: VariantDictionary = [:], at path: ObjectPath = .chappie) async throws -> [String] {
    try await models(filter, at: path).compactMap { $0.text("slug") }
  }

  /// The usage as the backend reports it now.
  func requestUsage(at path: ObjectPath = .chappie) async throws -> UsageLimits {
    try UsageLimits(try await call("Client.GetUsageLimits", at: path).member(0, "limits"))
  }

  /// The usage that the service has cached.
  func usage(at path: ObjectPath = .chappie) async throws -> UsageLimits {
    try UsageLimits(try await property("Client.UsageLimits", at: path))
  }

  /// The number of change signals of `UsageLimits`.
  func usageChanges(at path: ObjectPath = .chappie) -> Int {
    signals("PropertiesChanged", at: path).count { signal in
      let invalidated = try? signal.arguments.member(2, "invalidated", as: [String].self)
      return invalidated?.contains("UsageLimits") == true
    }
  }
}

/// The usage limits on the bus.
struct UsageLimits: Equatable {
  struct Window: Equatable {
    let usedPercent: Double?
    let minutes: UInt32?
    let resetsAt: Int64?

    init?(_ values: VariantDictionary?) throws {
      guard let values else { return nil }
      usedPercent = try values.value("used_percent")
      minutes = try values.value("window_minutes")
      resetsAt = try values.value("resets_at")
    }
  }

  let plan: String?
  let primary: Window?
  let secondary: Window?
  let credits: VariantDictionary?
  let isEmpty: Bool

  init(_ values: VariantDictionary) throws {
    plan = values.text("plan")
    primary = try Window(try values.value("primary"))
    secondary = try Window(try values.value("secondary"))
    credits = try values.value("credits")
    isEmpty = values.isEmpty
  }
}

extension Sandbox {
  /// Replaces the list of models.
  func offer(_ models: String) async throws {
    try await request(.post, "\(issuer)/sandbox/models", models)
  }

  /// Offers only the model with the plain form of requests, which allows several tool calls in one answer. It becomes
  /// the default model.
  func offerPlainModel() async throws {
    try await request(.post, "\(issuer)/sandbox/restore", "model=gpt-5.5")
  }

  /// Sets the usage of the plan.
  func setUsage(_ usage: String) async throws {
    try await request(.post, "\(issuer)/sandbox/usage", usage)
  }
}

/// A configuration for each transport.
let transports: [VariantDictionary] = [true, false].map { prefersWebSocket in
  ["streaming_transport_policy": ["prefers_web_socket": prefersWebSocket] as VariantDictionary]
}
