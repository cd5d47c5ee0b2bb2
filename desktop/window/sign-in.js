// SPDX-License-Identifier: Apache-2.0
// The sign-in: its code, large, and where to enter it.
import Adw from 'gi://Adw?version=1';
import GLib from 'gi://GLib';
import GObject from 'gi://GObject';
import Gtk from 'gi://Gtk?version=4.0';

import {qrPicture} from './qr.js';
import {_, fill} from './text.js';
import {empty, named, showPage} from './widgets.js';

const ENDINGS = {
    declined: () => _('The sign-in was declined on the page.'),
    expired: () => _('The code has expired.'),
    cancelled: () => null,
};

export const SignIn = GObject.registerClass({
    GTypeName: 'ChappieSignIn',
    Signals: {
        problem: {param_types: [GObject.TYPE_STRING]},
        // The button that copies the code was pressed.
        copied: {param_types: [GObject.TYPE_STRING]},
    },
}, class SignIn extends Gtk.Stack {
    constructor(service) {
        super({transitionType: Gtk.StackTransitionType.CROSSFADE});
        this._service = service;
        this._address = null;
        this._welcome = new Adw.StatusPage({iconName: 'org.chappie-symbolic', title: _('Sign in to ChatGPT')});
        this._start = new Gtk.Button({
            label: _('Sign in'), halign: Gtk.Align.CENTER, cssClasses: ['pill', 'suggested-action'],
        });
        this._start.connect('clicked', () => this.start());
        this._welcome.child = this._start;
        this.add_child(this._welcome);

        this._busy = new Adw.StatusPage({title: _('Asking for a code…')});
        this._busy.child = new Gtk.Spinner({spinning: true, heightRequest: 32});
        this.add_child(this._busy);

        const box = new Gtk.Box({orientation: Gtk.Orientation.VERTICAL, spacing: 18, cssClasses: ['sign-in']});
        box.append(new Gtk.Label({
            label: _('Enter this code on the page'), cssClasses: ['title-2'], wrap: true, justify: Gtk.Justification.CENTER,
        }));
        this._code = new Gtk.Label({cssClasses: ['code'], selectable: true, wrap: true});
        box.append(this._code);
        const row = new Gtk.Box({spacing: 12, halign: Gtk.Align.CENTER});
        const copy = new Gtk.Button({label: _('Copy code'), cssClasses: ['pill']});
        copy.connect('clicked', () => this.emit('copied', this._code.label));
        this._open = new Gtk.Button({label: _('Open page'), cssClasses: ['pill', 'suggested-action']});
        this._open.connect('clicked', () => Gtk.show_uri(this.get_root(), this._address, 0));
        row.append(copy);
        row.append(this._open);
        box.append(row);
        this._picture = new Gtk.Box({halign: Gtk.Align.CENTER, cssClasses: ['qr']});
        box.append(this._picture);
        this._page = new Gtk.Label({wrap: true, wrapMode: 2, selectable: true, justify: Gtk.Justification.CENTER});
        box.append(this._page);
        box.append(new Gtk.Label({
            label: _('Continue only if you started this sign-in yourself. If somebody gave you this code, stop.'),
            wrap: true, justify: Gtk.Justification.CENTER, cssClasses: ['dim-label'],
        }));
        const cancel = new Gtk.Button({label: _('Cancel'), halign: Gtk.Align.CENTER, cssClasses: ['pill', 'flat']});
        cancel.connect('clicked', () => this._call('CancelSignIn', '()', []));
        box.append(cancel);
        this._shown = new Gtk.ScrolledWindow({
            hscrollbarPolicy: Gtk.PolicyType.NEVER,
            child: new Adw.Clamp({child: box, maximumSize: 480, valign: Gtk.Align.CENTER}),
        });
        this.add_child(this._shown);
        service.connect('changed', () => this._follow());
        this._follow();
    }

    /** Asks for a code, or shows the one that waits. */
    async start() {
        // The window shows the code, so no notification has to.
        await this._call('StartDeviceCodeSignIn', '(a{sv})', [{notify: new GLib.Variant('b', false)}]);
    }

    async _call(method, signature, values) {
        try {
            await this._service.call('Session', method, signature, values, {interactive: true, timeout: 120000});
        } catch (error) {
            if (error.code !== 'Cancelled')
                this.emit('problem', error.message);
        }
    }

    _follow() {
        const state = this._service.get('Session', 'DeviceLinkState');
        const code = this._service.get('Session', 'DeviceCode') ?? {};
        const again = this._service.get('Session', 'State') === 'reauthentication-required';
        const failed = state === 'failed' ? this._service.get('Session', 'LastError')?.message : null;
        this._welcome.title = again ? _('Sign in again') : _('Sign in to ChatGPT');
        this._welcome.description = ENDINGS[state]?.() ?? failed ?? (again
            ? _('The server no longer accepts your sign-in. Your conversations are kept.')
            : _('You get a code, and enter it on a page of ChatGPT. Then the programs of your desktop can ask, on your own plan.'));
        if (state === 'waiting-for-approval' && code.user_code) {
            this._show(code);
            showPage(this, this._shown);
        } else {
            showPage(this, ['requesting-code', 'exchanging'].includes(state) ? this._busy : this._welcome);
            this._busy.title = state === 'exchanging' ? _('Signing in…') : _('Asking for a code…');
        }
    }

    _show({user_code: code, verification_uri: address}) {
        this._code.label = code;
        named(this._code, fill(_('Code: %s'), [...code].join(' ')));
        this._page.label = address;
        if (this._address === address)
            return;
        this._address = address;
        empty(this._picture);
        const picture = qrPicture(address);
        if (picture)
            this._picture.append(picture);
    }
});
