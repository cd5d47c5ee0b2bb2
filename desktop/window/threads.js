// SPDX-License-Identifier: Apache-2.0
// The stored conversations: a list with search.
import GLib from 'gi://GLib';
import GObject from 'gi://GObject';
import Gtk from 'gi://Gtk?version=4.0';

import {_, fill} from '../shared/text.js';
import {Texts, words} from './texts.js';
import {named} from './widgets.js';

const PAGE = 100;
// In milliseconds: after a pause in typing, the texts are read.
const TYPING_PAUSE = 400;

/** The time of day if it is today, else the date. */
function formatTime(seconds) {
    const time = GLib.DateTime.new_from_unix_local(seconds);
    const now = GLib.DateTime.new_now_local();
    const isToday = time.get_year() === now.get_year() && time.get_day_of_year() === now.get_day_of_year();
    return time.format(isToday ? '%H:%M' : '%x');
}

const Row = GObject.registerClass({GTypeName: 'ChappieThreadRow'}, class Row extends Gtk.ListBoxRow {
    constructor(thread) {
        super();
        this._title = new Gtk.Label({xalign: 0, ellipsize: 3});
        this._time = new Gtk.Label({xalign: 0, cssClasses: ['caption', 'dim-label']});
        const box = new Gtk.Box({orientation: Gtk.Orientation.VERTICAL, spacing: 3, cssClasses: ['thread']});
        box.append(this._title);
        box.append(this._time);
        this.child = box;
        this.update(thread);
    }

    update(thread) {
        this.thread = thread;
        this._title.label = thread.title || _('New conversation');
        this._time.label = formatTime(thread.updated_at);
        this.tooltipText = thread.title ?? '';
        named(this, `${this._title.label}, ${this._time.label}`);
    }
});

/** Tab visits the list once, and not each of its rows. */
const List = GObject.registerClass({GTypeName: 'ChappieThreadList'}, class List extends Gtk.ListBox {
    vfunc_focus(direction) {
        const isTab = [Gtk.DirectionType.TAB_FORWARD, Gtk.DirectionType.TAB_BACKWARD].includes(direction);
        return this.get_focus_child() && isTab ? false : super.vfunc_focus(direction);
    }
});

export const Threads = GObject.registerClass({
    GTypeName: 'ChappieThreads',
    Signals: {
        opened: {param_types: [GObject.TYPE_STRING]},
        problem: {param_types: [GObject.TYPE_STRING]},
    },
}, class Threads extends Gtk.Box {
    constructor(service) {
        super({orientation: Gtk.Orientation.VERTICAL, vexpand: true});
        this._service = service;
        this._rows = new Map();
        this._archived = false;
        this._texts = new Texts(service);
        // The threads whose texts have all words of the search.
        this._found = new Set();
        this.search = new Gtk.SearchEntry({placeholderText: _('Search conversations'), cssClasses: ['thread-search']});
        named(this.search, _('Search conversations'));
        this.search.connect('search-changed', () => {
            this._found.clear();
            this._hint.visible = false;
            this._list.invalidate_filter();
            this._searchTexts(TYPING_PAUSE);
        });
        this.search.connect('stop-search', () => {
            this.search.text = '';
        });
        this._list = new List({cssClasses: ['navigation-sidebar'], selectionMode: Gtk.SelectionMode.SINGLE});
        named(this._list, _('Conversations'));
        // Says that there are none only once the list has been read.
        this._empty = new Gtk.Label({cssClasses: ['dim-label'], marginTop: 24});
        this._list.set_placeholder(this._empty);
        this._list.set_filter_func(row => this._found.has(row.thread.id) ||
            words(this.search.text).every(word => row.thread.title?.toLowerCase().includes(word)));
        this._list.set_sort_func((one, other) => other.thread.updated_at - one.thread.updated_at);
        this._list.connect('row-activated', (_list, row) => this.emit('opened', row.thread.id));
        this._hint = new Gtk.Label({
            cssClasses: ['caption', 'dim-label'], wrap: true, visible: false, marginStart: 12, marginEnd: 12, xalign: 0,
        });
        [this.search, this._hint].forEach(child => this.append(child));
        this.append(new Gtk.ScrolledWindow({child: this._list, vexpand: true, hscrollbarPolicy: Gtk.PolicyType.NEVER}));
        service.connect('thread-changed', (_service, thread, change) => this._changed(thread, change));
    }

    /** Whether the archived threads are listed instead of the others. */
    set archived(archived) {
        this._archived = archived;
        this.reload();
    }

    get archived() {
        return this._archived;
    }

    title(thread) {
        return this._rows.get(thread)?.thread.title ?? '';
    }

    /** Selects the shown thread; null for a new one. */
    select(thread) {
        this._list.select_row(this._rows.get(thread) ?? null);
    }

    /** Clears the list: titles are as private as messages. */
    clear() {
        this._loading = null;
        this._searching = null;
        this._rows.clear();
        this._texts.clear();
        this._found.clear();
        this._hint.visible = false;
        this._empty.label = '';
        while (this._list.get_row_at_index(0))
            this._list.remove(this._list.get_row_at_index(0));
    }

    /** Reads the whole list, page by page. */
    async reload() {
        const loading = this._loading = {};
        const seen = new Set();
        try {
            for (let cursor = null; ;) {
                const [threads] = await this._service.call('Threads', 'List', '(a{sv})', [{
                    limit: new GLib.Variant('u', PAGE), archived: new GLib.Variant('b', this._archived),
                    ...cursor ? {cursor: new GLib.Variant('s', cursor)} : {},
                }]);
                if (loading !== this._loading)
                    return;
                threads.forEach(thread => {
                    seen.add(thread.id);
                    this._put(thread);
                });
                if (threads.length < PAGE)
                    break;
                cursor = threads.at(-1).cursor;
            }
            [...this._rows.keys()].filter(id => !seen.has(id)).forEach(id => this._remove(id));
            this._empty.label = _('No conversations');
            this._searchTexts();
        } catch (error) {
            if (error.isUnsupported)
                this.visible = false;
            else if (!error.isMissing && error.code !== 'Locked')
                this.emit('problem', error.message);
        }
    }

    // Titles are filtered at once, and texts after a pause.
    async _searchTexts(pause = 0) {
        const searching = this._searching = {};
        const text = this.search.text;
        if (words(text).length === 0)
            return;
        await new Promise(resolve => GLib.timeout_add(GLib.PRIORITY_DEFAULT, pause, () => {
            resolve();
            return GLib.SOURCE_REMOVE;
        }));
        const isCurrent = () => searching === this._searching;
        if (!isCurrent())
            return;
        const threads = [...this._rows.values()].map(row => row.thread).sort((one, other) => other.updated_at - one.updated_at);
        const count = await this._texts.search(text, threads, isCurrent, thread => {
            this._found.add(thread);
            this._list.invalidate_filter();
        });
        if (isCurrent()) {
            this._hint.label = fill(_('The texts of %1$s of %2$s conversations were searched.'), count, threads.length);
            this._hint.visible = count < threads.length;
        }
    }

    _put(thread) {
        const row = this._rows.get(thread.id);
        if (row) {
            row.update(thread);
            row.changed();
        } else {
            this._rows.set(thread.id, new Row(thread));
            this._list.append(this._rows.get(thread.id));
        }
    }

    _remove(id) {
        const row = this._rows.get(id);
        if (row)
            this._list.remove(row);
        this._rows.delete(id);
    }

    _changed(thread, change) {
        if (change === 'deleted')
            this._remove(thread);
        else
            this.reload();
    }
});
