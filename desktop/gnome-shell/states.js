// SPDX-License-Identifier: Apache-2.0
// The states in which no question can be asked: their titles and actions.
import {QUIET} from './sign-in.js';
import {_} from './text.js';
import {button, column, label} from './widgets.js';

/** `starting`, `missing`, `locked`, `no-keyring`, `signed-out` or `ready`. */
export function stateOf(service) {
    if (service.presence !== 'running')
        return service.presence === 'missing' ? 'missing' : 'starting';
    if (['locked', 'before-first-unlock'].includes(service.get('Manager', 'LockState')))
        return 'locked';
    const state = service.get('Session', 'State');
    const error = service.get('Session', 'LastError')?.name ?? '';
    if (error.endsWith('.KeyringUnavailable') && state !== 'signed-in')
        return 'no-keyring';
    return state === 'signed-in' ? 'ready' : 'signed-out';
}

/** The badge and the accessible description of the panel icon, by state. */
export const BADGES = {
    missing: ['dialog-error-symbolic', () => _('The service does not run')],
    locked: ['changes-prevent-symbolic', () => _('The keyring is locked')],
    'no-keyring': ['dialog-error-symbolic', () => _('The keyring cannot be used')],
    'signed-out': ['dialog-password-symbolic', () => _('Not signed in')],
    offline: ['network-offline-symbolic', () => _('The servers cannot be reached.')],
    approval: ['dialog-question-symbolic', () => _('Tools that wait for approval')],
    working: ['content-loading-symbolic', () => _('Answering…')],
};

const TEXTS = {
    starting: () => ({title: _('Starting…')}),
    missing: () => ({
        title: _('The service does not run'),
        text: _('Chappie’s service could not be started. If the package “chappie” was just installed, log out and in again. “chappie doctor” in a terminal finds out more.'),
        caption: _('Try again'),
    }),
    locked: () => ({
        title: _('The keyring is locked'),
        text: _('Your sign-in and your conversations are in the keyring. Unlock it with the password of your account.'),
        caption: _('Unlock'),
    }),
    'no-keyring': ({message}) => ({
        title: _('The keyring cannot be used'),
        text: `${_(message)}\n\n${
            _('Chappie keeps your sign-in in the keyring alone, which is GNOME Keyring, KWallet, or KeePassXC with the Secret Service turned on.')}`,
        caption: _('Try again'),
    }),
};

/** Shows a state with its action. */
export class StateView {
    constructor(service) {
        this._service = service;
        this._title = label('chappie-title');
        this._text = label('chappie-text');
        this._button = button('', () => this._act());
        this.actor = column('chappie-part', this._title, this._text, this._button);
    }

    show(state) {
        const shown = this.actor.visible = state in TEXTS;
        if (!shown)
            return;
        const {title, text = '', caption = ''} = TEXTS[state](this._service.get('Session', 'LastError') ?? {});
        this._state = state;
        this._title.text = title;
        this._text.text = text;
        this._text.visible = text !== '';
        this._button.label = this._button.accessible_name = caption;
        this._button.visible = caption !== '';
    }

    async _act() {
        // This call may prompt for the keyring's password. Its result shows in the properties.
        if (this._state === 'locked')
            await this._service.call('Threads', 'GetUsage', '()', [], {interactive: true}).catch(() => {});
        await this._service.refresh();
        // A keyring that was never used asks for the password of its first collection.
        if (this._state === 'no-keyring' && stateOf(this._service) === 'no-keyring')
            await this._service.call('Session', 'StartBrowserSignIn', '(a{sv})', QUIET, {interactive: true}).catch(() => {});
    }
}
