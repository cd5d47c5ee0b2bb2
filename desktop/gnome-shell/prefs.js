// SPDX-License-Identifier: Apache-2.0
// Entry point of the preferences for GNOME Shell 45 and newer. __init__.js is its counterpart for 43 and 44.
import Adw from 'gi://Adw';

import {ExtensionPreferences} from 'resource:///org/gnome/Shell/Extensions/js/extensions/prefs.js';

import {fillPage} from './preferences.js';

export default class ChappiePreferences extends ExtensionPreferences {
    fillPreferencesWindow(window) {
        const page = new Adw.PreferencesPage();
        window.add(page);
        fillPage(page, this.getSettings());
    }
}
