// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge

extension ChappieUsageLimitSnapshot {
  /// The usage limits on the bus.
  var dictionary: VariantDictionary {
    var dictionary = VariantDictionary()
    dictionary.set("plan", plan?.rawValue)
    dictionary.set("primary", primary?.dictionary)
    dictionary.set("secondary", secondary?.dictionary)
    dictionary.set("credits", credits?.dictionary)
    return dictionary
  }
}

extension ChappieUsageWindow {
  var dictionary: VariantDictionary {
    var dictionary: VariantDictionary = ["used_percent": usedPercent]
    dictionary.set("window_minutes", windowMinutes.map { UInt32(clamping: $0) })
    dictionary.set("resets_at", resetsAt)
    return dictionary
  }
}

extension ChappieUsageCredits {
  fileprivate var dictionary: VariantDictionary {
    var dictionary: VariantDictionary = ["has_credits": hasCredits, "unlimited": unlimited]
    dictionary.set("balance", balance)
    return dictionary
  }
}
