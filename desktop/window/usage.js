// SPDX-License-Identifier: Apache-2.0
// The usage limits of the plan, as bars.
import Adw from 'gi://Adw?version=1';
import GLib from 'gi://GLib';
import Gtk from 'gi://Gtk?version=4.0';

import {_, fill, limitTexts} from '../shared/text.js';
import {named} from './widgets.js';

const formatTime = seconds => GLib.DateTime.new_from_unix_local(seconds).format('%x, %H:%M');

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
        const limits = this._service.limits ?? this._limits ?? {};
        this.group.description = this._problem ?? (limits.plan ? fill(_('Plan: %s'), limits.plan) : '');
        this._rows.forEach(row => this.group.remove(row));
        this._rows = limitTexts(limits, formatTime).map(window => this._row(window));
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

    _row({title, used, percent, isUsedUp, resetText}) {
        const row = new Adw.ActionRow({title, subtitle: [isUsedUp && _('Used up'), resetText].filter(part => part).join(' · ')});
        const bar = new Gtk.LevelBar({value: percent / 100, valign: Gtk.Align.CENTER, widthRequest: 140});
        if (isUsedUp)
            bar.add_css_class('used-up');
        // By default a full level bar is green, as of a battery; here full means that the limit is reached.
        ['low', 'high', 'full'].forEach(name => bar.remove_offset_value(name));
        bar.add_offset_value('low', 1);
        named(bar, `${title}: ${used}`);
        row.add_suffix(bar);
        row.add_suffix(new Gtk.Label({label: used, widthChars: 5, xalign: 1, cssClasses: ['numeric']}));
        return row;
    }
}
