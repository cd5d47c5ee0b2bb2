// SPDX-License-Identifier: Apache-2.0
// Ends the program after an idle time, without losing a call.
import GLib from 'gi://GLib';

import {call} from '../shared/service.js';

/** In seconds: long enough to type the words of one search and to choose a result. */
const IDLE_TIMEOUT = 20;
const DO_NOT_QUEUE = 4;
const PRIMARY_OWNER = 1;

export class IdleExit {
    constructor(connection, name, end) {
        this._connection = connection;
        this._name = name;
        this._end = end;
        this._calls = 0;
        /** `serving`, `releasing` the name, and then `ending`. */
        this._state = 'serving';
    }

    /** Requests the bus name, and ends if another process owns it. */
    async start() {
        this._schedule();
        const reply = await this._bus('RequestName', '(su)', [this._name, DO_NOT_QUEUE]);
        if (reply.deepUnpack()[0] !== PRIMARY_OWNER)
            this._end();
    }

    /** Runs the handler of a call, and keeps the program alive until it is done. */
    async run(handler) {
        this._calls++;
        if (this._timer)
            GLib.source_remove(this._timer);
        this._timer = null;
        try {
            return await handler();
        } finally {
            this._calls--;
            this._schedule();
        }
    }

    _schedule() {
        if (this._calls > 0 || this._state === 'releasing')
            return;
        if (this._state === 'ending')
            this._end();
        else
            this._timer = GLib.timeout_add_seconds(GLib.PRIORITY_DEFAULT, IDLE_TIMEOUT, () => this._releaseName());
    }

    // After ReleaseName, the next call makes the bus start another process. The bus delivered earlier calls before its
    // reply, so these are still answered.
    _releaseName() {
        this._timer = null;
        this._state = 'releasing';
        this._bus('ReleaseName', '(s)', [this._name]).finally(() => {
            this._state = 'ending';
            this._schedule();
        });
        return GLib.SOURCE_REMOVE;
    }

    _bus(method, signature, values) {
        return call(this._connection, 'org.freedesktop.DBus', '/org/freedesktop/DBus', `org.freedesktop.DBus.${method}`,
            signature, values);
    }
}
