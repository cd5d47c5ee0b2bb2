// SPDX-License-Identifier: Apache-2.0
// The usage limits of the plan, as bars.
import Clutter from 'gi://Clutter';
import GLib from 'gi://GLib';
import St from 'gi://St';

import {limitTexts} from './shared/text.js';
import {column, label, row} from './widgets.js';

/** The time of day if it is within a day, else the date too. */
function formatTime(seconds) {
    const isSoon = seconds - GLib.DateTime.new_now_local().to_unix() < 86400;
    return GLib.DateTime.new_from_unix_local(seconds).format(isSoon ? '%H:%M' : '%x, %H:%M');
}

export class Usage {
    constructor(service) {
        this._service = service;
        this._limits = {};
        this.actor = column('chappie-part');
    }

    /** Asks the server, unless an answer has brought the limits already. */
    async refresh() {
        try {
            this._limits = await this._service.readLimits();
            this.show(true);
        } catch {
            // The next answer brings the limits.
        }
    }

    show(isReady) {
        const windows = limitTexts(this._service.limits ?? this._limits, formatTime);
        this.actor.destroy_all_children();
        windows.forEach(window => this.actor.add_child(this._row(window)));
        this.actor.visible = isReady && windows.length > 0;
    }

    _row({title, used, percent, isUsedUp, resetText}) {
        const head = label('chappie-usage-title', title);
        const figure = label('chappie-usage-percent', used);
        head.x_expand = figure.x_expand = false;
        const filled = new St.Widget({
            style_class: isUsedUp ? 'chappie-bar-used-up' : 'chappie-bar-filled', x_expand: true, y_expand: true,
            scale_x: percent / 100,
        });
        const bar = new St.Bin({
            style_class: 'chappie-bar', child: filled, x_expand: true, y_align: Clutter.ActorAlign.CENTER,
        });
        const line = row('chappie-row', head, bar, figure);
        line.accessible_name = [`${title}: ${used}`, resetText].filter(part => part).join(', ');
        return isUsedUp && resetText ? column('', line, label('chappie-hint', resetText)) : line;
    }
}
