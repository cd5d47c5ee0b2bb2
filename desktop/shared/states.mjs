// SPDX-License-Identifier: Apache-2.0
// What a user can do now, and how values of the service are shown. QML imports this file too.

/** The actions of `Availability` that come before any question. */
const FIRST = ['sign-in', 'unlock', 'create-keyring', 'wait'];

/**
 * `starting`, `missing`, one of these actions, or `ready`.
 *
 * `presence` is `starting` before the first use of the service, `running`, or `missing`; `session` is the properties of
 * that interface.
 */
export function stateOf(presence, session) {
    if (presence !== 'running')
        return presence;
    return FIRST.find(action => action === session.Availability?.action) ?? 'ready';
}

/** The text with %s, or %1$s and so on, replaced by the values. */
export function fill(text, ...values) {
    let next = 0;
    return text.replace(/%(?:(\d)\$)?s/g, (_match, place) => String(values[place ? place - 1 : next++]));
}

/**
 * The windows of time of `UsageLimits`, the shorter one first: `percent`, `isUsedUp`, `resets` (Unix seconds or
 * undefined), and the length as `hours` or, from two days on, as `days`; neither if it is unknown.
 */
export const limitWindows = limits => ['primary', 'secondary'].map(name => limits[name]).filter(window => window)
    .map(({used_percent: used = 0, window_minutes: minutes, resets_at: resets}) => {
        const hours = minutes ? Math.round(minutes / 60) : undefined;
        const isLong = hours >= 48;
        return {
            percent: Math.min(Math.round(used), 100), isUsedUp: used >= 100, resets, hours: isLong ? undefined : hours,
            days: isLong ? Math.round(minutes / 1440) : undefined,
        };
    });
