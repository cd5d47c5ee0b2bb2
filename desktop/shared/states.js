// SPDX-License-Identifier: Apache-2.0
// The states in which no question can be asked: their texts and actions. states.mjs tells them apart.
import GLib from 'gi://GLib';

import {_} from './text.js';

const TITLES = {
    starting: () => _('Starting…'),
    missing: () => _('The service does not run'),
    unlock: () => _('The keyring is locked'),
    wait: () => _('The screen is locked'),
    'create-keyring': () => _('The keyring cannot be used'),
};

const BUTTONS = {
    missing: () => _('Try again'),
    unlock: () => _('Unlock'),
    'create-keyring': () => _('Try again'),
};

/** `title`, `text` and the `button`'s label of a state, each empty if it has none; null for other states. */
export const stateTexts = (state, service) => state in TITLES ? {
    title: TITLES[state](), button: BUTTONS[state]?.() ?? '', text: state === 'missing'
        ? _('Chappie’s service could not be started. If the package “chappie” was just installed, log out and in again. “chappie doctor” in a terminal finds out more.')
        : service.get('Session', 'Availability')?.message ?? '',
} : null;

/** The options of a sign-in whose code and state the program itself shows, so no notification is needed. */
export const quiet = (options = {}) => [{notify: new GLib.Variant('b', false), ...options}];

/** `SignInStep`, with `choose` as its `kind` while no sign-in runs, and with the `message` of `Availability`. */
export const signInStep = service => ({
    kind: 'choose', code: '', uri: '', message: service.get('Session', 'Availability')?.message ?? '',
    ...service.get('Session', 'SignInStep'),
});

/** What the button of a state does. It may prompt for the keyring's password. Throws a Failure. */
export async function leaveState(state, service) {
    try {
        if (state === 'unlock')
            await service.call('Threads', 'GetUsage', '()', [], {interactive: true});
    } finally {
        await service.refresh();
    }
    // A keyring that was never used asks for the password of its first collection.
    if (state === 'create-keyring' && service.state === state)
        await service.call('Session', 'StartBrowserSignIn', '(a{sv})', quiet(), {interactive: true});
}
