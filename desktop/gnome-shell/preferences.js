// SPDX-License-Identifier: Apache-2.0
// The page of the preferences, which run in a process of their own.
import Adw from 'gi://Adw';
import Gdk from 'gi://Gdk?version=4.0';
import Gtk from 'gi://Gtk?version=4.0';

import {_} from './shared/text.js';

export function fillPage(page, settings) {
    const group = new Adw.PreferencesGroup({title: _('Keyboard')});
    group.add(shortcutRow(_('Open and close the box'), settings, 'toggle-chappie'));
    group.add(shortcutRow(_('Act on the selected text'), settings, 'act-on-selection'));
    page.add(group);
}

function shortcutRow(title, settings, key) {
    const row = new Adw.ActionRow({title, activatable: true});
    const shown = new Gtk.ShortcutLabel({valign: Gtk.Align.CENTER, disabled_text: _('None')});
    row.add_suffix(shown);
    row.connect('activated', () => choose(row.get_root(), keys => settings.set_strv(key, keys)));
    const show = () => (shown.accelerator = settings.get_strv(key)[0] ?? '');
    settings.connect(`changed::${key}`, show);
    show();
    return row;
}

// Records the next valid key combination.
function choose(parent, chosen) {
    const window = new Adw.Window({
        title: _('Press the new keys'), transient_for: parent, modal: true, default_width: 360, default_height: 200,
        content: new Adw.StatusPage({
            title: _('Press the new keys'), description: _('Backspace for none, Escape to leave it as it is'),
        }),
    });
    const keys = new Gtk.EventControllerKey({propagation_phase: Gtk.PropagationPhase.CAPTURE});
    keys.connect('key-pressed', (_keys, key, code, state) => {
        const modifiers = state & Gtk.accelerator_get_default_mod_mask();
        const isPlain = modifiers === 0;
        if (isPlain && key === Gdk.KEY_Escape) {
            window.close();
        } else if (isPlain && key === Gdk.KEY_BackSpace) {
            chosen([]);
            window.close();
        } else if (Gtk.accelerator_valid(key, modifiers) && (!isPlain || (key >= Gdk.KEY_F1 && key <= Gdk.KEY_F35))) {
            chosen([Gtk.accelerator_name_with_keycode(null, key, code, modifiers)]);
            window.close();
        }
        return Gdk.EVENT_STOP;
    });
    window.add_controller(keys);
    // Otherwise the shell would handle its own shortcuts.
    window.connect('map', () => window.get_surface().inhibit_system_shortcuts(null));
    window.present();
}
