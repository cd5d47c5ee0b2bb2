// SPDX-License-Identifier: Apache-2.0
// A line above the conversation that says what is wrong. Adw.Banner is not in libadwaita 1.2.
import GObject from 'gi://GObject';
import Gtk from 'gi://Gtk?version=4.0';

export const Notice = GObject.registerClass({
    GTypeName: 'ChappieNotice',
}, class Notice extends Gtk.Revealer {
    constructor() {
        super();
        const box = new Gtk.Box({spacing: 12, cssClasses: ['notice'], accessibleRole: Gtk.AccessibleRole.ALERT});
        this._label = new Gtk.Label({wrap: true, xalign: 0, hexpand: true});
        this._button = new Gtk.Button({valign: Gtk.Align.CENTER});
        this._button.connect('clicked', () => this._act());
        box.append(this._label);
        box.append(this._button);
        this.child = box;
        box.visible = false;
    }

    /** Its button has the caption, and calls `act`. */
    show_text(text, caption, act) {
        this._label.label = text;
        this._button.label = caption;
        this._act = act;
        // A screen reader finds what is not revealed, unless it is hidden.
        this.child.visible = this.revealChild = true;
    }

    hide_text() {
        this.child.visible = this.revealChild = false;
    }
});
