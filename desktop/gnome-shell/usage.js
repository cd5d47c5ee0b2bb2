// SPDX-License-Identifier: Apache-2.0
// The usage limits of the plan, as bars.
import Clutter from 'gi://Clutter';
import St from 'gi://St';

import {_, fill, ngettext} from './text.js';
import {column, label, row} from './widgets.js';

function lengthOf(minutes) {
    const hours = Math.round(minutes / 60);
    const days = Math.round(minutes / 1440);
    return hours < 48 ? fill(ngettext('%s hour', '%s hours', hours), hours) : fill(ngettext('%s day', '%s days', days), days);
}

export class Usage {
    constructor(service) {
        this._service = service;
        this._limits = {};
        this.actor = column('chappie-part');
    }

    /** Asks the server, unless an answer has brought the limits already. */
    async refresh() {
        if (this._isKnown)
            return;
        try {
            [this._limits] = await this._service.call('Client', 'GetUsageLimits', '()', []);
            this.show(true);
        } catch {
            // The next answer brings the limits.
        }
    }

    get _isKnown() {
        return Object.keys(this._service.get('Client', 'UsageLimits') ?? {}).length > 0;
    }

    show(isReady) {
        const limits = this._isKnown ? this._service.get('Client', 'UsageLimits') : this._limits;
        const windows = ['primary', 'secondary'].map(name => limits[name]).filter(window => window);
        this.actor.destroy_all_children();
        windows.forEach(window => this.actor.add_child(this._row(window)));
        this.actor.visible = isReady && windows.length > 0;
    }

    _row({used_percent: used = 0, window_minutes: minutes}) {
        const title = label('chappie-usage-title', minutes ? fill(_('In %s'), lengthOf(minutes)) : _('Used'));
        const percent = label('chappie-usage-percent', fill(_('%s %%'), Math.round(used)).replace('%%', '%'));
        title.x_expand = percent.x_expand = false;
        const filled = new St.Widget({
            style_class: 'chappie-bar-filled', x_expand: true, y_expand: true, scale_x: Math.min(used, 100) / 100,
        });
        const bar = new St.Bin({
            style_class: 'chappie-bar', child: filled, x_expand: true, y_align: Clutter.ActorAlign.CENTER,
        });
        const line = row('chappie-row', title, bar, percent);
        line.accessible_name = `${title.text}: ${percent.text}`;
        return line;
    }
}
