// SPDX-License-Identifier: Apache-2.0
// The user code of a sign-in, and the address of the page to enter it on.
import Adw from 'gi://Adw?version=1';
import GObject from 'gi://GObject';
import Gtk from 'gi://Gtk?version=4.0';

import {qrPicture} from './qr.js';
import {_, fill} from '../shared/text.js';
import {empty, named, openPage, pill} from './widgets.js';

export const CodeView = GObject.registerClass({
    GTypeName: 'ChappieCodeView',
    Signals: {
        cancelled: {},
        // The “Copy” button was clicked.
        copied: {param_types: [GObject.TYPE_STRING]},
    },
}, class CodeView extends Adw.Bin {
    constructor() {
        super();
        this._address = null;
        const box = new Gtk.Box({orientation: Gtk.Orientation.VERTICAL, spacing: 18, cssClasses: ['sign-in']});
        box.append(new Gtk.Label({
            label: _('Enter this code on the page'), cssClasses: ['title-2'], wrap: true, justify: Gtk.Justification.CENTER,
        }));
        this._code = new Gtk.Label({cssClasses: ['code'], selectable: true, wrap: true});
        box.append(this._code);
        const row = new Gtk.Box({spacing: 12, halign: Gtk.Align.CENTER});
        row.append(pill(_('Copy code'), [], () => this.emit('copied', this._code.label)));
        row.append(pill(_('Open page'), ['suggested-action'], () => openPage(this, this._address)));
        box.append(row);
        this._picture = new Gtk.Box({halign: Gtk.Align.CENTER, cssClasses: ['qr']});
        box.append(this._picture);
        this._page = new Gtk.Label({wrap: true, wrapMode: 2, selectable: true, justify: Gtk.Justification.CENTER});
        box.append(this._page);
        box.append(new Gtk.Label({
            label: _('Continue only if you started this sign-in yourself. If somebody gave you this code, stop.'),
            wrap: true, justify: Gtk.Justification.CENTER, cssClasses: ['dim-label'],
        }));
        box.append(pill(_('Cancel'), ['flat'], () => this.emit('cancelled')));
        this.child = new Gtk.ScrolledWindow({
            hscrollbarPolicy: Gtk.PolicyType.NEVER,
            child: new Adw.Clamp({child: box, maximumSize: 480, valign: Gtk.Align.CENTER}),
        });
    }

    show_code(code, address) {
        this._code.label = code;
        named(this._code, fill(_('Code: %s'), [...code].join(' ')));
        this._page.label = address;
        if (this._address === address)
            return;
        this._address = address;
        empty(this._picture);
        const picture = qrPicture(address);
        if (picture)
            this._picture.append(picture);
    }
});
