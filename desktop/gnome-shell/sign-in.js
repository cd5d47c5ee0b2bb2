// SPDX-License-Identifier: Apache-2.0
// The sign-in: its code, large, and the page to enter it on.
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';

import {_, fill} from './text.js';
import {button, column, copy, label, row} from './widgets.js';

const ENDINGS = {
    declined: () => _('The sign-in was declined on the page.'),
    expired: () => _('The code has expired.'),
};

export class SignIn {
    constructor(service, close) {
        this._service = service;
        this._title = label('chappie-title');
        this._text = label('chappie-text');
        this._start = button(_('Sign in'), () => this._call('StartDeviceCodeSignIn', '(a{sv})',
            // The box shows the code, so no notification has to.
            [{notify: new GLib.Variant('b', false)}]));
        this._code = label('chappie-code');
        this._address = label('chappie-text');
        this._buttons = row('chappie-row',
            button(_('Open page'), () => {
                close();
                this._openPage();
            }),
            button(_('Copy code'), () => copy(this._code.text)),
            button(_('Cancel'), () => this._call('CancelSignIn', '()', [])));
        this._warning = label('chappie-hint',
            _('Continue only if you started this sign-in yourself. If somebody gave you this code, stop.'));
        this.actor = column('chappie-part', this._title, this._text, this._start, this._code, this._address, this._buttons,
            this._warning);
    }

    show() {
        const state = this._service.get('Session', 'DeviceLinkState');
        const {message = ''} = this._service.get('Session', 'LastError') ?? {};
        const {user_code: code = '', verification_uri: address = ''} = this._service.get('Session', 'DeviceCode') ?? {};
        const waits = state === 'waiting-for-approval' && code !== '';
        const busy = {'requesting-code': _('Asking for a code…'), exchanging: _('Signing in…')}[state];
        const again = this._service.get('Session', 'State') === 'reauthentication-required';
        this._title.text = busy ?? (waits ? _('Enter this code on the page')
            : again ? _('Sign in again') : _('Sign in to ChatGPT'));
        this._text.text = this._problem ?? ENDINGS[state]?.() ?? (state === 'failed' && message ? _(message) : again
            ? _('The server no longer accepts your sign-in. Your conversations are kept.')
            : _('You get a code, and enter it on a page of ChatGPT. Then the programs of your desktop can ask, on your own plan.'));
        this._text.visible = this._start.visible = !waits && !busy;
        const isNew = waits && code !== this._code.text;
        [this._code, this._address, this._buttons, this._warning].forEach(part => (part.visible = waits));
        if (isNew && this.actor.mapped)
            this._buttons.get_first_child().grab_key_focus();
        this._code.text = code;
        this._code.accessible_name = fill(_('Code: %s'), [...code].join(' '));
        this._address.text = address;
    }

    _openPage() {
        // The address comes from a server.
        if (/^https?:/.test(this._address.text))
            Gio.AppInfo.launch_default_for_uri_async(this._address.text, global.create_app_launch_context(0, -1), null, null);
    }

    async _call(method, signature, values) {
        this._problem = null;
        try {
            await this._service.call('Session', method, signature, values, {interactive: true});
        } catch (failure) {
            if (this._service.cancellable.is_cancelled() || failure.code === 'Cancelled')
                return;
            this._problem = failure.message;
            this.show();
        }
    }
}
