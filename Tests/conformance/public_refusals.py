"""The refusals of the public API, by name, with the shape and the status of each."""

REFUSALS = {
    "invalid_token": ("detail", 401),
    "identity_not_accepted": ("detail", 401),
    "policy": ("detail", 403),
    "direct_routing_unavailable": ("detail", 503),
    "subscription_sharing_invalid_user": ("error", 401),
    "subscription_sharing_user_not_eligible": ("error", 403),
    "subscription_sharing_route_not_supported": ("error", 403),
    "chatpass_v2_scope_not_authorized": ("error", 403),
    "chatpass_v2_invalid_authorization_context": ("error", 403),
    "subscription_sharing_usage_limit_exceeded": ("error", 429),
    "rate_limit_exceeded": ("error", 429),
    "subscription_sharing_usage_unavailable": ("error", 503),
    "subscription_sharing_user_unavailable": ("error", 503),
    "subscription_sharing_unsupported_capability": ("error", 400),
}
