// SPDX-License-Identifier: Apache-2.0
// The titles of the stored threads. They are forgotten as soon as anything is locked or the service is gone.
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';

import {call} from './bus.js';
import {flat} from './text.js';

const NAME = 'org.chappie';
const PATH = '/org/chappie';
const PROPERTIES = 'org.freedesktop.DBus.Properties';
/** How long a search waits for the service, in milliseconds. */
const PATIENCE = 1000;
/** Threads of one call: the service and this program do other things between two calls. */
const PAGE = 500;
const MOST = 20000;

/** The text as it is compared: without upper case and accents. */
export const folded = text => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();

const now = () => GLib.get_monotonic_time() / 1000;

/** What is needed of a list of threads. Unpacking all of each takes ten times as long. */
function read(threads) {
    return Array.from({length: threads.n_children()}, (_nothing, place) => {
        const thread = threads.get_child_value(place);
        const value = key => thread.lookup_value(key, null)?.unpack();
        return {id: value('id'), title: value('title'), updated: value('updated_at'), cursor: value('cursor')};
    });
}

/** Waits for the promise, but not longer than some milliseconds. */
function within(milliseconds, promise) {
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
        /** What was read, or is being read: `threads`, `since`, `done`, and whether it is `stale`. */
        this._reading = null;
        /** How often everything was forgotten. */
        this._forgotten = 0;
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
        this._forgotten++;
    }

    /**
     * The threads that the service has listed in time, latest change first, the archived ones last: `id`, `title`,
     * `folded`, `updated` (Unix seconds) and `archived`. None while anything is locked, and none without a service.
     */
    async list() {
        if (!this._reading || this._reading.stale)
            this._read();
        const [reading, forgotten] = [this._reading, this._forgotten];
        // A service that hangs makes the first search wait, and none of the next.
        const left = reading.since + PATIENCE - now();
        if (left > 0)
            await within(left, reading.done);
        return forgotten === this._forgotten ? reading.threads : [];
    }

    _read() {
        const reading = this._reading = {threads: [], since: now(), stale: false};
        reading.done = this._readAll(reading).catch(() => {
            // Locked, no service, no threads: the next search tries again.
            if (reading === this._reading)
                this._reading = null;
        });
    }

    async _readAll(reading) {
        // The service may be configured to list threads while it is locked; nobody is to see them then.
        const reply = await this._call(`${PROPERTIES}.Get`, '(ss)', ['org.chappie.Manager', 'LockState']);
        const [state] = reply.recursiveUnpack();
        if (state === 'locked' || state === 'before-first-unlock')
            return;
        for (const archived of [false, true]) {
            for (let cursor = null; reading.threads.length < MOST;) {
                const list = await this._call('org.chappie.Threads.List', '(a{sv})', [{
                    limit: new GLib.Variant('u', PAGE), archived: new GLib.Variant('b', archived),
                    ...cursor ? {cursor: new GLib.Variant('s', cursor)} : {},
                }]);
                if (reading !== this._reading)
                    return;
                const page = read(list.get_child_value(0));
                for (const {id, title, updated} of page) {
                    if (title)
                        reading.threads.push({id, title, folded: folded(flat(title)), updated, archived});
                }
                if (page.length < PAGE)
                    break;
                ({cursor} = page.at(-1));
            }
        }
    }

    // Typing in a search must not start the service.
    _call(member, signature, values) {
        return call(this._connection, NAME, PATH, member, signature, values, Gio.DBusCallFlags.NO_AUTO_START);
    }
}
