// SPDX-License-Identifier: Apache-2.0
// Entry point for GNOME Shell 45 and newer. __init__.js is its counterpart for 43 and 44.
import {Extension} from 'resource:///org/gnome/shell/extensions/extension.js';
import * as Main from 'resource:///org/gnome/shell/ui/main.js';
import * as PanelMenu from 'resource:///org/gnome/shell/ui/panelMenu.js';
import * as PopupMenu from 'resource:///org/gnome/shell/ui/popupMenu.js';
import * as Keyboard from 'resource:///org/gnome/shell/ui/status/keyboard.js';

import {Panel} from './panel.js';

export default class ChappieExtension extends Extension {
    enable() {
        this._panel = new Panel({Keyboard, Main, PanelMenu, PopupMenu}, {
            path: this.path, settings: this.getSettings(), openPreferences: () => this.openPreferences(),
        });
    }

    disable() {
        this._panel.destroy();
        this._panel = null;
    }
}
