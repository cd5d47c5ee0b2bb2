// SPDX-License-Identifier: Apache-2.0
// The application: a single instance, started by its desktop file or over D-Bus, with actions that other programs may
// activate through org.freedesktop.Application; README.md lists them.
import Adw from 'gi://Adw?version=1';
import Gdk from 'gi://Gdk?version=4.0';
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';
import GObject from 'gi://GObject';
import Gtk from 'gi://Gtk?version=4.0';
import System from 'system';

import {ActWindow} from './act.js';
import {requestBackground} from './background.js';
import {focusIsSecret} from './focus.js';
import {focusedWindow} from './paste.js';
import {isWayland} from './selection.js';
import {WindowService} from './service.js';
import {setKeys, shortcutsWindow} from './shortcuts.js';
import {isShown, stateOf} from './states.js';
import {_} from '../shared/text.js';
import {Window} from './window.js';

// In milliseconds: how long the process stays after an action on selected text, so that the next one begins sooner.
const STAY = 3600000;
// After so many, it ends: GTK 4.8 does not free what it has drawn in a window of Wayland without a graphics processor.
const MAXIMUM_ACTS = 30;

/** A text of the platform data, which Plasma passes as bytes; empty without one. */
const textOf = value => value?.get_type_string() === 'ay'
    ? new TextDecoder().decode(value.deepUnpack()).replace(/\0$/, '') : value?.unpack() ?? '';

export const Application = GObject.registerClass({
    GTypeName: 'ChappieApplication',
}, class Application extends Adw.Application {
    constructor(directory) {
        super({applicationId: 'org.chappie.Window', flags: Gio.ApplicationFlags.HANDLES_OPEN});
        this._directory = directory;
        this._acts = 0;  // The running ones.
        this._begun = 0;
        GLib.set_application_name('Chappie');
        this.add_main_option('ask', 0, GLib.OptionFlags.NONE, GLib.OptionArg.STRING, _('Asks in a new conversation'),
            _('TEXT'));
        this.connect('handle-local-options', (_application, options) => {
            const text = options.lookup_value('ask', new GLib.VariantType('s'));
            if (text) {
                this.register(null);
                this.activate_action('ask', text);
            }
            return -1;  // The default handling activates the application.
        });
    }

    vfunc_startup() {
        super.vfunc_startup();
        const style = new Gtk.CssProvider();
        style.load_from_path(GLib.build_filenamev([this._directory, 'style.css']));
        Gtk.StyleContext.add_provider_for_display(Gdk.Display.get_default(), style,
            Gtk.STYLE_PROVIDER_PRIORITY_APPLICATION);
        // A label that gets the focus does not select its text.
        Gtk.Settings.get_default().gtkLabelSelectOnFocus = false;
        this._addAction('ask', 's', text => this._present().ask(text));
        this._addAction('thread', 's', thread => this._present().show_thread(thread));
        this._addAction('search', 's', text => this._present().search(text));
        this._addAction('sign-in', null, () => this._present().sign_in());
        this._addAction('copy-code', 's', code => this._present().copy_code(code));
        this._addAction('act', 's', name => this._act(name));
        // An action of a desktop file has no parameter.
        this._addAction('selection', null, () => this._act(''));
        this._addAction('about', null, () => this._about());
        this._addAction('quit', null, () => this.quit());
        const background = new Gio.SimpleAction({name: 'background', state: GLib.Variant.new_boolean(false)});
        background.connect('change-state', (action, value) => this._stay(action, value.unpack()));
        this.add_action(background);
        setKeys(this);
    }

    vfunc_before_emit(data) {
        super.vfunc_before_emit(data);
        this._token = ['activation-token', 'desktop-startup-id'].map(name => textOf(data.lookup_value(name, null)))
            .find(token => token);
    }

    vfunc_activate() {
        this._present();
    }

    vfunc_open(files) {
        this._present().attach(files);
    }

    _addAction(name, type, activate) {
        const action = new Gio.SimpleAction({name, parameterType: type ? new GLib.VariantType(type) : null});
        action.connect('activate', (_action, parameter) => activate(parameter?.unpack()));
        this.add_action(action);
    }

    _present() {
        if (!this._window) {
            this._window = new Window(this, this._use());
            this._window.set_help_overlay(shortcutsWindow());
            this._window.connect('close-request', window => {
                if (this._held) {
                    window.hide();
                    return true;
                }
                this._window = null;
                this._leave();
                // The conversations that were shown are forgotten with the process.
                this.set_inactivity_timeout(0);
                return false;
            });
            this._window.connect('answered', (window, thread) => this._notifyAnswered(window, thread));
        }
        // Without an activation token, which GNOME passes since 46, Wayland focuses only new windows.
        if (isWayland() && this._window.visible && !this._window.isActive && !this._token)
            this._window.hide();
        this._window.present();
        return this._window;
    }

    /** The service, which the windows share. */
    _use() {
        this._service ??= new WindowService(this.get_dbus_connection());
        return this._service;
    }

    _leave() {
        if (this._window || this._acts > 0)
            return;
        this._service?.close();
        this._service = null;
    }

    /** Acts on the text that is selected in any program. `name` is the action, or empty for the list. */
    async _act(name) {
        if (this._isBeginning || this._acted?.isActive)
            return;
        this._acted?.close();
        const token = this._token;
        this.hold();
        this._acts += 1;
        this._begun += 1;
        this.set_inactivity_timeout(this._begun < MAXIMUM_ACTS ? STAY : 0);
        try {
            const service = this._use();
            const window = await this._showAct(service, name, token);
            const {thread, text, way} = await window.closed;
            if (thread)
                this._present().show_thread(thread);
            // The screen may be locked meanwhile.
            if (text && !await way.replace(text, () => isShown(stateOf(service, 'ready'))))
                this._notifyCopied();
            this._keepClipboard();
        } finally {
            this._acts -= 1;
            this._leave();
            this.release();
            this._forget();
        }
    }

    async _showAct(service, name, token) {
        this._isBeginning = true;
        try {
            // The program with the text has the focus until the window is shown.
            const focused = focusedWindow();
            const isSecret = focusIsSecret(this.get_dbus_connection());
            const window = new ActWindow(this, service, {name, isSecret, focused});
            await Promise.all([focused, isSecret]);
            this._acted = window;
            window.connect('close-request', () => {
                if (this._acted === window)
                    this._acted = null;
                return false;
            });
            if (token)
                window.set_startup_id(token);
            window.present();
            return window;
        } finally {
            this._isBeginning = false;
        }
    }

    // Nothing else collects the text and the answer while the process is idle.
    _forget() {
        GLib.idle_add(GLib.PRIORITY_LOW, () => {
            System.gc();
            return GLib.SOURCE_REMOVE;
        });
    }

    /** Copies a text, which outlives the window from which it comes. */
    copy(text) {
        Gdk.Display.get_default().get_clipboard().set(text);
        this._keepClipboard();
    }

    // What this process has copied is lost at its end: it stays until another program copies something.
    _keepClipboard() {
        const clipboard = Gdk.Display.get_default().get_clipboard();
        if (this._keeps || !clipboard.is_local() || !clipboard.get_content())
            return;
        this._keeps = true;
        this.hold();
        const handler = clipboard.connect('changed', () => {
            if (clipboard.is_local())
                return;
            clipboard.disconnect(handler);
            this._keeps = false;
            this.release();
        });
    }

    _notifyCopied() {
        const notification = new Gio.Notification();
        notification.set_title(_('The answer is on the clipboard'));
        notification.set_body(_('It could not be pasted into the program with the selected text.'));
        this.send_notification('copied', notification);
    }

    // The notification has no text of the answer, because it may show on a locked screen.
    _notifyAnswered(window, thread) {
        if (window.visible || !thread)
            return;
        const notification = new Gio.Notification();
        notification.set_title(_('An answer is complete'));
        notification.set_default_action_and_target('app.thread', new GLib.Variant('s', thread));
        this.send_notification('answer', notification);
    }

    async _stay(action, stay) {
        const may = stay && await requestBackground(this.get_dbus_connection());
        if (may && !this._held)
            this.hold();
        else if (!may && this._held)
            this.release();
        this._held = may;
        action.set_state(GLib.Variant.new_boolean(may));
        if (stay && !may)
            this._window?.tell(_('The desktop does not let programs run in the background.'));
    }

    _about() {
        new Adw.AboutWindow({
            transientFor: this._window, applicationName: 'Chappie', applicationIcon: 'org.chappie',
            licenseType: Gtk.License.APACHE_2_0, comments: _('Asks ChatGPT, through the service of this desktop'),
        }).present();
    }
});
