// SPDX-License-Identifier: Apache-2.0
// The states in which no question can be asked, with their actions.
import Adw from 'gi://Adw?version=1';
import GObject from 'gi://GObject';
import Gtk from 'gi://Gtk?version=4.0';

import {_} from './text.js';

/** Whether conversations are shown in a state. */
export const isShown = state => state === 'ready' || state === 'interrupted';

/**
 * `starting`, `missing`, `locked`, `no-keyring`, `signed-out`, `ready`; or `interrupted` when the service has ended
 * and a conversation is shown. `was` is the previous state.
 */
export function stateOf(service, was) {
    if (service.presence === 'missing' && isShown(was))
        return 'interrupted';
    if (service.presence !== 'running')
        return service.presence;
    if (['locked', 'before-first-unlock'].includes(service.get('Manager', 'LockState')))
        return 'locked';
    const state = service.get('Session', 'State');
    const error = service.get('Session', 'LastError')?.name ?? '';
    if (error.endsWith('.KeyringUnavailable') && state !== 'signed-in')
        return 'no-keyring';
    return state === 'signed-in' ? 'ready' : 'signed-out';
}

const TEXTS = {
    starting: () => ({title: _('Starting…'), description: ''}),
    missing: () => ({
        icon: 'dialog-error-symbolic', title: _('The service does not run'),
        description: _('Chappie’s service could not be started. If the package “chappie” was just installed, log out and in again. “chappie doctor” in a terminal finds out more.'),
        button: _('Try again'),
    }),
    locked: service => {
        const sources = service.get('Manager', 'LockSources') ?? [];
        return sources.length === 0 || sources.includes('keyring')
            ? {
                icon: 'system-lock-screen-symbolic', title: _('The keyring is locked'),
                description: _('Your sign-in and your conversations are in the keyring. Unlock it with the password of your account.'),
                button: _('Unlock'),
            }
            : {
                icon: 'system-lock-screen-symbolic', title: _('The screen is locked'),
                description: _('Your sign-in and your conversations can be used again once the screen is unlocked.'),
            };
    },
    'no-keyring': service => ({
        icon: 'dialog-password-symbolic', title: _('The keyring cannot be used'),
        description: `${service.get('Session', 'LastError')?.message ?? ''}\n\n${
            _('Chappie keeps your sign-in in the keyring alone, which is GNOME Keyring, KWallet, or KeePassXC with the Secret Service turned on.')}`,
        button: _('Try again'),
    }),
};

/** The page of a state. */
export const StatePage = GObject.registerClass({
    GTypeName: 'ChappieStatePage',
    // The button of the page was clicked.
    Signals: {acted: {}},
}, class StatePage extends Gtk.Box {
    constructor() {
        super();
        this._page = new Adw.StatusPage({hexpand: true, vexpand: true});
        this._button = new Gtk.Button({halign: Gtk.Align.CENTER, cssClasses: ['pill', 'suggested-action']});
        this._button.connect('clicked', () => this.emit('acted'));
        this._page.child = this._button;
        this.append(this._page);
    }

    show_state(state, service) {
        const {icon = null, title, description, button = null} = TEXTS[state](service);
        this._page.set({iconName: icon, title, description: description.trim().replace(/&/g, '&amp;').replace(/</g, '&lt;')});
        this._button.visible = button !== null;
        this._button.label = button ?? '';
    }
});
