// SPDX-License-Identifier: Apache-2.0
// A banner above the conversation. libadwaita 1.2 has no Adw.Banner.
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

    /** Shows a text with a button that calls `act`. */
    show_text(text, caption, act) {
        this._label.label = text;
        this._button.label = caption;
        this._act = act;
        // A screen reader finds unrevealed widgets, unless they are invisible.
        this.child.visible = this.revealChild = true;
    }

    hide_text() {
        this.child.visible = this.revealChild = false;
    }
});
