// SPDX-License-Identifier: Apache-2.0
// A banner above the conversation: the service has ended, the plan cannot be used, or the servers cannot be reached.
// libadwaita 1.2 has no Adw.Banner.
import GObject from 'gi://GObject';
import Gtk from 'gi://Gtk?version=4.0';

import {_} from '../shared/text.js';
import {isShown} from './states.js';
import {openPage} from './widgets.js';

const CAPTIONS = {
    'allow-plan-use': () => _('Allow plan use'),
    'manage-usage': () => _('Manage usage'),
};

export const Notice = GObject.registerClass({
    GTypeName: 'ChappieNotice',
    Signals: {
        // The user wants to allow the use of the plan.
        'allow-plan-use': {},
        // Something for a toast.
        told: {param_types: [GObject.TYPE_STRING]},
    },
}, class Notice extends Gtk.Revealer {
    constructor(service) {
        super();
        this._service = service;
        const box = new Gtk.Box({spacing: 12, cssClasses: ['notice'], accessibleRole: Gtk.AccessibleRole.ALERT});
        this._label = new Gtk.Label({wrap: true, xalign: 0, hexpand: true});
        this._button = new Gtk.Button({valign: Gtk.Align.CENTER});
        this._button.connect('clicked', () => this._act());
        box.append(this._label);
        box.append(this._button);
        this.child = box;
        box.visible = false;
    }

    /** Shows what a state and `Availability` tell; `was` is the previous state. */
    follow(state, was) {
        if (state === 'interrupted')
            this._show(_('The service has ended.'), _('Start it'), () => this._service.refresh());
        else if (was === 'interrupted' || !isShown(state))
            this._hide();
        const {action, message} = state === 'ready' && this._service.get('Session', 'Availability') || {};
        if (message === this._message)
            return;
        this._message = message;
        const wasShown = this._action in CAPTIONS;
        this._action = action;
        if (action in CAPTIONS)
            this._show(message, CAPTIONS[action](), () => action === 'allow-plan-use' ? this.emit(action)
                : openPage(this, this._service.get('Session', 'ManageUsageUri')));
        else if (wasShown && state !== 'interrupted')
            this._hide();
    }

    /** Shows whether the last turn has reached the servers. */
    show_reached(reached) {
        if (reached)
            this._hide();
        else
            this._show(_('The servers cannot be reached. Check the connection to the network.'), _('Find out'),
                () => this._checkServers());
    }

    async _checkServers() {
        try {
            const [servers] = await this._service.call('Manager', 'CheckServers', '()', [], {timeout: 15000});
            const bad = servers.filter(server => server.error);
            if (bad.length === 0)
                this._hide();
            this.emit('told', bad.length === 0 ? _('The servers answer.')
                : bad.map(({host, error}) => `${host}: ${error}`).join('\n'));
        } catch (error) {
            this.emit('told', error.message);
        }
    }

    _show(text, caption, act) {
        this._label.label = text;
        this._button.label = caption;
        this._act = act;
        // A screen reader finds unrevealed widgets, unless they are invisible.
        this.child.visible = this.revealChild = true;
    }

    _hide() {
        this.child.visible = this.revealChild = false;
    }
});
