// SPDX-License-Identifier: Apache-2.0
// The usage limits of the plan, as bars.
import Adw from 'gi://Adw?version=1';
import GLib from 'gi://GLib';
import Gtk from 'gi://Gtk?version=4.0';

import {_, fill, ngettext} from './text.js';
import {named} from './widgets.js';

function lengthOf(minutes) {
    const hours = Math.round(minutes / 60);
    const days = Math.round(minutes / 1440);
    return hours < 48 ? fill(ngettext('%s hour', '%s hours', hours), hours) : fill(ngettext('%s day', '%s days', days), days);
}

export class UsageGroup {
    constructor(service) {
        this._service = service;
        this.group = new Adw.PreferencesGroup({title: _('Use of the plan')});
        this._rows = [];
        this.show();
    }

    async refresh() {
        try {
            [this._limits] = await this._service.call('Client', 'GetUsageLimits', '()', []);
            this._problem = null;
        } catch (error) {
            this._problem = error.message;
        }
        this.show();
    }

    show() {
        const live = this._service.get('Client', 'UsageLimits') ?? {};
        const limits = Object.keys(live).length > 0 ? live : this._limits ?? {};
        this.group.description = this._problem ?? (limits.plan ? fill(_('Plan: %s'), limits.plan) : '');
        this._rows.forEach(row => this.group.remove(row));
        this._rows = ['primary', 'secondary'].filter(key => limits[key]).map(key => this._row(limits[key]));
        if (limits.credits?.has_credits)
            this._rows.push(this._credits(limits.credits));
        const address = this._service.get('Session', 'ManageUsageUri');
        if (address)
            this._rows.push(this._link(address));
        this._rows.forEach(row => this.group.add(row));
    }

    // Some plans have no limits in the API: their use shows on this page alone.
    _link(address) {
        const row = new Adw.ActionRow({
            title: _('Using ChatGPT plan'), subtitle: _('ChatGPT shows how much is used, and lets you limit it.'),
        });
        const link = new Gtk.LinkButton({uri: address, label: _('Manage usage'), valign: Gtk.Align.CENTER});
        row.add_suffix(link);
        return row;
    }

    _credits({unlimited, balance}) {
        return new Adw.ActionRow({title: _('Credits'), subtitle: unlimited ? '∞' : String(balance ?? '')});
    }

    _row({used_percent: used = 0, window_minutes: minutes, resets_at: resets}) {
        const row = new Adw.ActionRow({
            title: minutes ? fill(_('In %s'), lengthOf(minutes)) : _('Used'),
            subtitle: resets ? fill(_('Begins anew %s'), GLib.DateTime.new_from_unix_local(resets).format('%x, %H:%M')) : '',
        });
        const percent = fill(_('%s %%'), Math.round(used)).replace('%%', '%');
        const bar = new Gtk.LevelBar({value: Math.min(used, 100) / 100, valign: Gtk.Align.CENTER, widthRequest: 140});
        // By default a full level bar is green, as of a battery; here full means that the limit is reached.
        ['low', 'high', 'full'].forEach(name => bar.remove_offset_value(name));
        bar.add_offset_value('low', 1);
        named(bar, `${row.title}: ${percent}`);
        row.add_suffix(bar);
        row.add_suffix(new Gtk.Label({label: percent, widthChars: 5, xalign: 1, cssClasses: ['numeric']}));
        return row;
    }
}
