// SPDX-License-Identifier: Apache-2.0
// A cache of the titles of stored threads, cleared when anything is locked and when the service ends.
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';

import {NAME, ROOT as PATH, call} from '../shared/service.js';
import {flat} from './text.js';

const PROPERTIES = 'org.freedesktop.DBus.Properties';
/** The time that a search waits for the service, in milliseconds. */
const TIMEOUT = 1000;
/** Threads of one call: between two calls, the service and this program handle other events. */
const PAGE_SIZE = 500;
const MAXIMUM_THREADS = 20000;

/** The text normalised for comparison: lower case, without accents. */
export const folded = text => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();

const now = () => GLib.get_monotonic_time() / 1000;

/** The needed fields of a list of threads. Unpacking all fields takes ten times as long. */
function read(threads) {
    return Array.from({length: threads.n_children()}, (_nothing, place) => {
        const thread = threads.get_child_value(place);
        const value = key => thread.lookup_value(key, null)?.unpack();
        return {id: value('id'), title: value('title'), updated: value('updated_at'), cursor: value('cursor')};
    });
}

/** Waits for the promise, with a timeout in milliseconds. */
function waitFor(milliseconds, promise) {
    return new Promise(resolve => {
        let timer = GLib.timeout_add(GLib.PRIORITY_DEFAULT, milliseconds, () => {
            timer = null;
            resolve();
            return GLib.SOURCE_REMOVE;
        });
        promise.then(() => {
            if (timer)
                GLib.source_remove(timer);
            resolve();
        });
    });
}

export class Titles {
    constructor(connection) {
        this._connection = connection;
        /** The current or last reading: `threads`, `since`, the promise `done`, and whether it is `stale`. */
        this._reading = null;
        /** Incremented when the cache is cleared, so that a running search returns nothing. */
        this._generation = 0;
        const subscribe = (name, member, argument, handler) => connection.signal_subscribe(NAME, name, member, PATH,
            argument, Gio.DBusSignalFlags.NONE, handler);
        subscribe(PROPERTIES, 'PropertiesChanged', 'org.chappie.Manager', () => this.forget());
        subscribe('org.chappie.Threads', 'ThreadChanged', null, () => {
            if (this._reading)
                this._reading.stale = true;
        });
        Gio.bus_watch_name_on_connection(connection, NAME, Gio.BusNameWatcherFlags.NONE, null, () => this.forget());
    }

    forget() {
        this._reading = null;
        this._generation++;
    }

    /**
     * The threads that the service listed before the timeout, latest change first, archived ones last: `id`, `title`,
     * `folded`, `updated` (Unix seconds) and `archived`. Empty while anything is locked, and without a service.
     */
    async list() {
        if (!this._reading || this._reading.stale)
            this._read();
        const [reading, generation] = [this._reading, this._generation];
        // The timeout is that of the reading, so a hanging service delays only the first search.
        const left = reading.since + TIMEOUT - now();
        if (left > 0)
            await waitFor(left, reading.done);
        return generation === this._generation ? reading.threads : [];
    }

    _read() {
        const reading = this._reading = {threads: [], since: now(), stale: false};
        reading.done = this._readAll(reading).catch(() => {
            // Locked, no service, or no threads: the next search tries again.
            if (reading === this._reading)
                this._reading = null;
        });
    }

    async _readAll(reading) {
        // The service may be configured to list threads while it is locked, but a search must not show them then.
        const reply = await this._call(`${PROPERTIES}.Get`, '(ss)', ['org.chappie.Manager', 'LockState']);
        const [state] = reply.recursiveUnpack();
        if (['locked', 'before-first-unlock'].includes(state))
            return;
        for (const archived of [false, true]) {
            for (let cursor = null; reading.threads.length < MAXIMUM_THREADS;) {
                const list = await this._call('org.chappie.Threads.List', '(a{sv})', [{
                    limit: new GLib.Variant('u', PAGE_SIZE), archived: new GLib.Variant('b', archived),
                    ...cursor ? {cursor: new GLib.Variant('s', cursor)} : {},
                }]);
                if (reading !== this._reading)
                    return;
                const page = read(list.get_child_value(0));
                for (const {id, title, updated} of page) {
                    if (title)
                        reading.threads.push({id, title, folded: folded(flat(title)), updated, archived});
                }
                if (page.length < PAGE_SIZE)
                    break;
                ({cursor} = page.at(-1));
            }
        }
    }

    // Typing in a search must not start the service.
    _call(member, signature, values) {
        return call(this._connection, NAME, PATH, member, signature, values, {flags: Gio.DBusCallFlags.NO_AUTO_START});
    }
}
