// SPDX-License-Identifier: Apache-2.0
// The states in which no question can be asked, with their actions.
import Adw from 'gi://Adw?version=1';
import GLib from 'gi://GLib';
import GObject from 'gi://GObject';
import Gtk from 'gi://Gtk?version=4.0';

import {stateTexts} from '../shared/states.js';

/** Whether conversations are shown in a state. */
export const isShown = state => state === 'ready' || state === 'interrupted';

/** The state of the service; `interrupted` when it has ended and a conversation is shown. `was` is the previous state. */
export const stateOf = (service, was) => service.state === 'missing' && isShown(was) ? 'interrupted' : service.state;

const ICONS = {
    missing: 'dialog-error-symbolic',
    unlock: 'system-lock-screen-symbolic',
    wait: 'system-lock-screen-symbolic',
    'create-keyring': 'dialog-password-symbolic',
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
        const {title, text, button} = stateTexts(state, service);
        this._page.set({iconName: ICONS[state] ?? null, title, description: GLib.markup_escape_text(text, -1)});
        this._button.visible = button !== '';
        this._button.label = button;
    }
});
