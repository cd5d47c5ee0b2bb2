// SPDX-License-Identifier: Apache-2.0
// The icon in the panel, and its popup.
import Gio from 'gi://Gio';
import Meta from 'gi://Meta';
import Shell from 'gi://Shell';
import St from 'gi://St';

import {Approvals} from './approvals.js';
import {Ask} from './ask.js';
import {Selection} from './selection.js';
import {Service} from './shared/service.js';
import {_} from './shared/text.js';
import {SignIn} from './sign-in.js';
import {BADGES, StateView} from './states.js';
import {Usage} from './usage.js';
import {button, column, hasWindow, openWindow, row} from './widgets.js';

// Keybinding names are global in the shell.
const SHORTCUT = 'toggle-chappie';

export class Panel {
    /** The modules are those of the shell, which each version imports in its own way. */
    constructor(modules, {path, settings, openPreferences}) {
        const {Main, PanelMenu} = modules;
        this._main = Main;
        this._service = new Service(Gio.DBus.session);
        this._service.connect('changed', () => {
            this._show();
            // The answer may have ended while the popup was closed.
            this._ask.resume();
            this._selection.resume();
            if (this._approvals.count > 0)
                this._approvals.refresh();
        });
        this._service.connect('approvals-changed', () => this._approvals.refresh());
        this._build(PanelMenu, path, openPreferences);
        Main.panel.addToStatusArea('chappie', this._button);
        // Connected after the menu's own handler, which takes the keyboard focus.
        this._button.menu.connect('open-state-changed', (_menu, isOpen) => {
            if (isOpen)
                this._opened();
        });
        Main.wm.addKeybinding(SHORTCUT, settings, Meta.KeyBindingFlags.IGNORE_AUTOREPEAT,
            Shell.ActionMode.NORMAL | Shell.ActionMode.OVERVIEW | Shell.ActionMode.POPUP,
            () => this._button.menu.toggle());
        this._selection = new Selection(modules, this._service, settings);
        this._show();
    }

    destroy() {
        this._main.wm.removeKeybinding(SHORTCUT);
        this._selection.destroy();
        this._service.close();
        this._ask.destroy();
        // Runs a pending layout now: GNOME 48 would still run it after the popup was destroyed.
        this._button.menu.actor.get_allocation_box();
        this._button.destroy();
    }

    _build(PanelMenu, path, openPreferences) {
        this._button = new PanelMenu.Button(0.5, 'Chappie');
        this._mark = new St.Icon({style_class: 'system-status-icon'});
        const icon = new St.Icon({
            style_class: 'system-status-icon', gicon: Gio.icon_new_for_string(`${path}/icons/org.chappie-symbolic.svg`),
        });
        this._button.add_child(row('panel-status-indicators-box', icon, this._mark));

        const {menu} = this._button;
        this._states = new StateView(this._service);
        this._signIn = new SignIn(this._service, () => menu.close());
        this._approvals = new Approvals(this._service, () => this._show());
        this._ask = new Ask(this._service, () => this._show());
        this._usage = new Usage(this._service);
        this._window = button(_('Open the window'), () => {
            menu.close();
            openWindow(this._ask.thread);
        });
        const preferences = button(_('Preferences'), () => {
            menu.close();
            openPreferences();
        });
        menu.box.add_child(column('chappie-box', ...[this._states, this._signIn, this._approvals, this._ask, this._usage]
            .map(part => part.actor), row('chappie-row', this._window, preferences)));
    }

    _opened() {
        this._window.visible = hasWindow();
        this._service.refresh();  // Starts the service.
        this._refresh();
        this._ask.show();
        this._focus();
    }

    // Focuses the entry, or else the first button.
    _focus() {
        if (this._ask.actor.visible)
            this._ask.focus();
        else
            this._button.menu.box.navigate_focus(null, St.DirectionType.TAB_FORWARD, false);
    }

    // Reads what the service does not announce by signals.
    _refresh() {
        this._approvals.refresh();
        if (this._state === 'ready')
            this._usage.refresh();
    }

    _show() {
        const {state} = this._service;
        const was = this._state;
        this._state = state;
        if (state !== was && this._button.menu.isOpen)
            this._refresh();
        if (state === 'sign-in' && state !== was)
            this._ask.reset();
        // A question can be typed and sent while the service is still starting.
        this._ask.actor.visible = ['ready', 'starting'].includes(state);
        this._states.show(state === 'starting' ? null : state);
        this._signIn.actor.visible = state === 'sign-in';
        this._signIn.show();
        this._approvals.actor.visible = this._approvals.count > 0;
        this._usage.show(state === 'ready');
        // The focused widget may be hidden now.
        const focus = global.stage.key_focus;
        if (this._button.menu.isOpen && !(focus && this._button.menu.box.contains(focus)))
            this._focus();
        this._showMark();
    }

    _showMark() {
        const name = this._approvals.count > 0 ? 'approval' : this._ask.isRunning ? 'working'
            : this._state === 'ready' && this._ask.isOffline ? 'offline' : this._state;
        const [icon, text] = BADGES[name] ?? [null, null];
        this._mark.icon_name = icon;
        this._mark.visible = icon !== null;
        this._button.accessible_name = icon ? `Chappie: ${text()}` : 'Chappie';
    }
}
