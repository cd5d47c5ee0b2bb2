// SPDX-License-Identifier: Apache-2.0
// The page of the preferences, which run in a process of their own.
import Adw from 'gi://Adw';
import Gdk from 'gi://Gdk?version=4.0';
import Gtk from 'gi://Gtk?version=4.0';

import {_} from './shared/text.js';

const SHORTCUT = 'toggle-chappie';

export function fillPage(page, settings) {
    const group = new Adw.PreferencesGroup({title: _('Keyboard')});
    const row = new Adw.ActionRow({title: _('Open and close the box'), activatable: true});
    const shown = new Gtk.ShortcutLabel({valign: Gtk.Align.CENTER, disabled_text: _('None')});
    row.add_suffix(shown);
    row.connect('activated', () => choose(page.get_root(), settings));
    const show = () => (shown.accelerator = settings.get_strv(SHORTCUT)[0] ?? '');
    settings.connect(`changed::${SHORTCUT}`, show);
    show();
    group.add(row);
    page.add(group);
}

// Records the next valid key combination.
function choose(parent, settings) {
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
            settings.set_strv(SHORTCUT, []);
            window.close();
        } else if (Gtk.accelerator_valid(key, modifiers) && (!isPlain || (key >= Gdk.KEY_F1 && key <= Gdk.KEY_F35))) {
            settings.set_strv(SHORTCUT, [Gtk.accelerator_name_with_keycode(null, key, code, modifiers)]);
            window.close();
        }
        return Gdk.EVENT_STOP;
    });
    window.add_controller(keys);
    // Otherwise the shell would handle its own shortcuts.
    window.connect('map', () => window.get_surface().inhibit_system_shortcuts(null));
    window.present();
}
