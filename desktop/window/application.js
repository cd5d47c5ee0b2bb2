// SPDX-License-Identifier: Apache-2.0
// The application: a single instance, started by its desktop file or over D-Bus, with actions that other programs may
// activate through org.freedesktop.Application; README.md lists them.
import Adw from 'gi://Adw?version=1';
import Gdk from 'gi://Gdk?version=4.0';
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';
import GObject from 'gi://GObject';
import Gtk from 'gi://Gtk?version=4.0';

import {requestBackground} from './background.js';
import {WindowService} from './service.js';
import {setKeys, shortcutsWindow} from './shortcuts.js';
import {_} from '../shared/text.js';
import {Window} from './window.js';

export const Application = GObject.registerClass({
    GTypeName: 'ChappieApplication',
}, class Application extends Adw.Application {
    constructor(directory) {
        super({applicationId: 'org.chappie.Window', flags: Gio.ApplicationFlags.DEFAULT_FLAGS ?? 0});
        this._directory = directory;
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
        this._addAction('about', null, () => this._about());
        this._addAction('quit', null, () => this.quit());
        const background = new Gio.SimpleAction({name: 'background', state: GLib.Variant.new_boolean(false)});
        background.connect('change-state', (action, value) => this._stay(action, value.unpack()));
        this.add_action(background);
        setKeys(this);
    }

    vfunc_before_emit(data) {
        super.vfunc_before_emit(data);
        this._hasToken = ['activation-token', 'desktop-startup-id'].some(name => data.lookup_value(name, null)?.unpack());
    }

    vfunc_activate() {
        this._present();
    }

    _addAction(name, type, activate) {
        const action = new Gio.SimpleAction({name, parameterType: type ? new GLib.VariantType(type) : null});
        action.connect('activate', (_action, parameter) => activate(parameter?.unpack()));
        this.add_action(action);
    }

    _present() {
        if (!this._window) {
            const service = new WindowService(this.get_dbus_connection());
            this._window = new Window(this, service);
            this._window.set_help_overlay(shortcutsWindow());
            this._window.connect('close-request', window => {
                if (this._held) {
                    window.hide();
                    return true;
                }
                service.close();
                this._window = null;
                return false;
            });
            this._window.connect('answered', (window, thread) => this._notifyAnswered(window, thread));
        }
        // Without an activation token, which GNOME passes since 46, Wayland focuses only new windows.
        const isWayland = Gdk.Display.get_default().constructor.$gtype.name === 'GdkWaylandDisplay';
        if (isWayland && this._window.visible && !this._window.isActive && !this._hasToken)
            this._window.hide();
        this._window.present();
        return this._window;
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
