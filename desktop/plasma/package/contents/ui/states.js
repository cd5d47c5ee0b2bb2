// SPDX-License-Identifier: Apache-2.0
// The states of service and sign-in.
.pragma library

/** `starting`, `missing`, `locked`, `no-keyring`, `signed-out` or `ready`. */
function stateOf(service) {
    if (service.presence !== 'running')
        return service.presence === 'missing' ? 'missing' : 'starting';
    if (['locked', 'before-first-unlock'].includes(service.manager.LockState))
        return 'locked';
    const {State: state, LastError: error} = service.session;
    if ((error?.name ?? '').endsWith('.KeyringUnavailable') && state !== 'signed-in')
        return 'no-keyring';
    return state === 'signed-in' ? 'ready' : 'signed-out';
}

/** The badge of the panel icon, by state. */
const BADGES = {
    missing: 'emblem-error',
    locked: 'emblem-locked',
    'no-keyring': 'emblem-error',
    'signed-out': 'emblem-warning',
    offline: 'emblem-unavailable',
    approval: 'emblem-question',
    working: 'emblem-synchronizing-symbolic',
};
