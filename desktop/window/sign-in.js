// SPDX-License-Identifier: Apache-2.0
// The sign-in: in the browser, or with a code.
import Adw from 'gi://Adw?version=1';
import GLib from 'gi://GLib';
import GObject from 'gi://GObject';
import Gtk from 'gi://Gtk?version=4.0';

import {CodeView} from './code-view.js';
import {ROOT} from '../shared/service.js';
import {quiet, signInStep} from '../shared/states.js';
import {_} from '../shared/text.js';
import {pill, showPage} from './widgets.js';

export const SignIn = GObject.registerClass({
    GTypeName: 'ChappieSignIn',
    Signals: {
        problem: {param_types: [GObject.TYPE_STRING]},
        // A button that copies the code or the address was clicked.
        copied: {param_types: [GObject.TYPE_STRING]},
    },
}, class SignIn extends Gtk.Stack {
    constructor(service) {
        super({transitionType: Gtk.StackTransitionType.CROSSFADE});
        this._service = service;
        this._welcome = new Adw.StatusPage({iconName: 'org.chappie-symbolic', title: _('Sign in to ChatGPT')});
        const choices = new Gtk.Box({orientation: Gtk.Orientation.VERTICAL, spacing: 12});
        choices.append(pill(_('Continue with ChatGPT'), ['suggested-action'], () => this.startInBrowser()));
        choices.append(pill(_('Use a code instead'), ['flat'], () => this._startWithCode()));
        // After the user has removed Chappie in ChatGPT, the page shows an error, and the browser does not return.
        this._reconnect = pill(_('Connect Chappie anew'), ['flat'],
            () => this.startInBrowser({register_anew: new GLib.Variant('b', true)}));
        this._another = pill(_('Use another account'), ['flat'],
            () => this.start({add_account: new GLib.Variant('b', true)}));
        // Leaves an account that is being added.
        this._leave = pill(_('Cancel'), ['flat'], () => service.select(ROOT));
        [this._reconnect, this._another, this._leave].forEach(choice => choices.append(choice));
        this._welcome.child = choices;
        this.add_child(this._welcome);

        this._busy = new Adw.StatusPage();
        this._busy.child = new Gtk.Spinner({spinning: true, heightRequest: 32});
        this.add_child(this._busy);

        this._code = new CodeView();
        this._code.connect('copied', (_view, code) => this.emit('copied', code));
        this._code.connect('cancelled', () => this._call('CancelSignIn', '()', []));
        this.add_child(this._code);

        this._browser = new Adw.StatusPage({
            iconName: 'web-browser-symbolic', title: _('Waiting for your browser…'),
            description: _('Connect Chappie on the page of ChatGPT. Continue only if you started this sign-in yourself.'),
        });
        const actions = new Gtk.Box({orientation: Gtk.Orientation.VERTICAL, spacing: 12});
        actions.append(pill(_('Open the page again'), [], () => this.startInBrowser()));
        actions.append(pill(_('Copy address'), [], () => this._copyAddress()));
        actions.append(pill(_('Cancel'), ['flat'], () => this._call('CancelSignIn', '()', [])));
        this._browser.child = actions;
        this.add_child(this._browser);

        service.connect('changed', () => this._follow());
        this._follow();
    }

    /** Signs in with the method of the previous sign-in; by default in the browser. */
    async start(options = {}) {
        if (this._service.get('Session', 'AuthMethod') === 'device-code')
            await this._startWithCode(options);
        else
            await this.startInBrowser(options);
    }

    /**
     * Lets the service open the page, also of a sign-in that is running already.
     *
     * `options` are those of `StartBrowserSignIn`, as variants.
     */
    async startInBrowser(options = {}) {
        // The window shows the state, so no notification is needed.
        return this._call('StartBrowserSignIn', '(a{sv})', quiet(options));
    }

    // The service returns the address only to programs that start the sign-in or join a running one.
    async _copyAddress() {
        const reply = await this.startInBrowser({open: new GLib.Variant('b', false)});
        if (reply)
            this.emit('copied', reply[0]);
    }

    async _startWithCode(options = {}) {
        await this._call('StartDeviceCodeSignIn', '(a{sv})', quiet(options));
    }

    async _call(method, signature, values) {
        try {
            return await this._service.call('Session', method, signature, values, {interactive: true});
        } catch (error) {
            if (error.code !== 'Cancelled')
                this.emit('problem', error.message);
            return null;
        }
    }

    _follow() {
        const {kind, code, uri, message} = signInStep(this._service);
        const state = this._service.get('Session', 'DeviceLinkState');
        this._hadPage = kind === 'open-page' || this._hadPage && ['cancelled', 'expired'].includes(state);
        this._reconnect.visible = this._hadPage;
        this._another.visible = this._service.get('Session', 'LastError')?.name === 'org.chappie.Error.AccountMismatch';
        this._leave.visible = this._service.path !== ROOT;
        this._welcome.description = GLib.markup_escape_text(message, -1);
        this._busy.title = message;
        if (kind === 'show-code')
            this._code.show_code(code, uri);
        showPage(this, {'show-code': this._code, wait: this._busy, choose: this._welcome}[kind] ?? this._browser);
    }
});
