// SPDX-License-Identifier: Apache-2.0
// The states in which no question can be asked: their texts and actions. states.mjs tells them apart.
import {quiet} from './sign-in.js';
import {_} from './text.js';

const TEXTS = {
    starting: () => ({title: _('Starting…')}),
    missing: () => ({
        title: _('The service does not run'),
        text: _('Chappie’s service could not be started. If the package “chappie” was just installed, log out and in again. “chappie doctor” in a terminal finds out more.'),
        button: _('Try again'),
    }),
    locked: service => {
        const sources = service.get('Manager', 'LockSources') ?? [];
        return sources.length === 0 || sources.includes('keyring') ? {
            title: _('The keyring is locked'),
            text: _('Your sign-in and your conversations are in the keyring. Unlock it with the password of your account.'),
            button: _('Unlock'),
        } : {
            title: _('The screen is locked'),
            text: _('Your sign-in and your conversations can be used again once the screen is unlocked.'),
        };
    },
    'no-keyring': service => {
        const {message = ''} = service.get('Session', 'LastError') ?? {};
        return {
            title: _('The keyring cannot be used'),
            text: `${message && _(message)}\n\n${
                _('Chappie keeps your sign-in in the keyring alone, which is GNOME Keyring, KWallet, or KeePassXC with the Secret Service turned on.')}`.trim(),
            button: _('Try again'),
        };
    },
};

/** `title`, `text` and the `button`'s label of a state, each empty if it has none; null for other states. */
export const stateTexts = (state, service) =>
    state in TEXTS ? {text: '', button: '', ...TEXTS[state](service)} : null;

/** What the button of a state does. It may prompt for the keyring's password. Throws a Failure. */
export async function leaveState(state, service) {
    try {
        if (state === 'locked')
            await service.call('Threads', 'GetUsage', '()', [], {interactive: true});
    } finally {
        await service.refresh();
    }
    // A keyring that was never used asks for the password of its first collection.
    if (state === 'no-keyring' && service.state === state)
        await service.call('Session', 'StartBrowserSignIn', '(a{sv})', quiet(), {interactive: true});
}
