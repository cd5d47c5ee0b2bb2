// SPDX-License-Identifier: Apache-2.0
// The sign-in: in the browser, or with a code and the page to enter it on.
import {quiet, signInStep} from './shared/states.js';
import {_, fill} from './shared/text.js';
import {button, column, copy, label, openPage, row} from './widgets.js';

export class SignIn {
    constructor(service, close) {
        this._service = service;
        this._title = label('chappie-title');
        this._text = label('chappie-text');
        this._choices = row('chappie-row',
            button(_('Continue with ChatGPT'), () => {
                close();
                this._call('StartBrowserSignIn', '(a{sv})', quiet());
            }),
            button(_('Use a code instead'), () => this._call('StartDeviceCodeSignIn', '(a{sv})', quiet())));
        this._code = label('chappie-code');
        this._address = label('chappie-text');
        this._copy = button(_('Copy code'), () => copy(this._code.text));
        this._buttons = row('chappie-row',
            button(_('Open page'), () => {
                close();
                this._openPage();
            }),
            this._copy,
            button(_('Cancel'), () => this._call('CancelSignIn', '()', [])));
        this._warning = label('chappie-hint',
            _('Continue only if you started this sign-in yourself. If somebody gave you this code, stop.'));
        this.actor = column('chappie-part', this._title, this._text, this._choices, this._code, this._address,
            this._buttons, this._warning);
    }

    show() {
        const {kind, code, uri, message} = signInStep(this._service);
        const hasCode = kind === 'show-code';
        const chooses = kind === 'choose';
        const waits = !chooses && kind !== 'wait';
        this._title.text = chooses ? _('Sign in to ChatGPT') : message;
        this._text.text = this._problem ?? message;
        this._text.visible = this._choices.visible = chooses;
        const isNew = waits && !this._buttons.visible || code !== this._code.text;
        [this._code, this._address, this._copy, this._warning].forEach(part => (part.visible = hasCode));
        this._buttons.visible = waits;
        this._page = hasCode ? uri : null;
        if (waits && isNew && this.actor.mapped)
            this._buttons.get_first_child().grab_key_focus();
        this._code.text = code;
        this._code.accessible_name = fill(_('Code: %s'), [...code].join(' '));
        this._address.text = uri;
    }

    _openPage() {
        // The service opens the page of a browser sign-in, also of one that is running already.
        if (this._page === null)
            this._call('StartBrowserSignIn', '(a{sv})', quiet());
        else
            openPage(this._page);
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
