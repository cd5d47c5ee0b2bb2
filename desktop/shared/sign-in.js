// SPDX-License-Identifier: Apache-2.0
// What a running or a possible sign-in shows, and its texts.
import GLib from 'gi://GLib';

import {_} from './text.js';

const ENDINGS = {
    declined: () => _('The sign-in was declined on the page.'),
    expired: () => _('The sign-in was not approved in time.'),
};

const BUSY = {
    'requesting-code': () => _('Preparing the sign-in…'),
    exchanging: () => _('Signing in…'),
    verifying: () => _('Signing in…'),
};

/** The options of a sign-in whose code and state the program itself shows, so no notification is needed. */
export const quiet = (options = {}) => [{notify: new GLib.Variant('b', false), ...options}];

/**
 * The step of the sign-in: `kind` is `choose`, `busy`, `code` or `page`. `title` and `text` are for the user, `code` and
 * `address` those of a sign-in with a code; `state` is `DeviceLinkState`, `error` the name of the last error.
 */
export function signInStep(service) {
    const state = service.get('Session', 'DeviceLinkState');
    const {name: error = '', message = ''} = state === 'failed' && service.get('Session', 'LastError') || {};
    const {user_code: code = '', verification_uri: address = ''} = service.get('Session', 'DeviceCode') ?? {};
    const common = {state, error, code, address};
    if (state === 'waiting-for-approval' && code)
        return {...common, kind: 'code', title: _('Enter this code on the page'), text: ''};
    if (state === 'waiting-for-browser')
        return {...common, kind: 'page', title: _('Waiting for your browser…'), text: ''};
    if (state in BUSY)
        return {...common, kind: 'busy', title: BUSY[state](), text: ''};
    const again = service.get('Session', 'State') === 'reauthentication-required';
    return {
        ...common, kind: 'choose', title: again ? _('Sign in again') : _('Sign in to ChatGPT'),
        text: ENDINGS[state]?.() ?? (message ? _(message) : again
            ? _('The server no longer accepts your sign-in. Your conversations are kept.')
            : _('Your browser opens a page of ChatGPT, where you connect Chappie. Then the programs of your desktop can ask, on your own plan.')),
    };
}
