// SPDX-License-Identifier: Apache-2.0
/* exported extension, prefs */
// Entry point for GNOME Shell 43 and 44. These shells load `extension` and `prefs` as scripts, but both files are ES
// modules for newer shells. Their importer looks at the declarations of this file before it looks for files. All other
// files are shared: GJS has ES modules since GNOME 40, and a script loads them with import(), which does not block.
const ExtensionUtils = imports.misc.extensionUtils;

const load = name => import(`file://${ExtensionUtils.getCurrentExtension().path}/${name}`);

class LegacyExtension {
    enable() {
        const {path} = ExtensionUtils.getCurrentExtension();
        const settings = ExtensionUtils.getSettings();
        // disable() may be called before the modules are loaded.
        const enabled = this._enabled = {};
        load('panel.js').then(({Panel}) => {
            if (this._enabled !== enabled)
                return;
            const {main: Main, panelMenu: PanelMenu, popupMenu: PopupMenu, status: {keyboard: Keyboard}} = imports.ui;
            this._panel = new Panel({Keyboard, Main, PanelMenu, PopupMenu}, {
                path, settings, openPreferences: () => ExtensionUtils.openPrefs(),
            });
        }).catch(logError);
    }

    disable() {
        this._enabled = null;
        this._panel?.destroy();
        this._panel = null;
    }
}

var extension = {
    init() {
        ExtensionUtils.initTranslations();
        return new LegacyExtension();
    },
};

var prefs = {
    init() {
        ExtensionUtils.initTranslations();
    },

    fillPreferencesWindow(window) {
        const settings = ExtensionUtils.getSettings();
        const page = new imports.gi.Adw.PreferencesPage();
        window.add(page);
        load('preferences.js').then(({fillPage}) => fillPage(page, settings)).catch(logError);
    },
};
