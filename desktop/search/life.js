// SPDX-License-Identifier: Apache-2.0
// When the program ends: some time after the last call, with no call lost.
import GLib from 'gi://GLib';

import {call} from './bus.js';

/** Long enough for the words of one search and the choice of a result, in seconds. */
const IDLE = 20;
const DO_NOT_QUEUE = 4;
const PRIMARY_OWNER = 1;

export class Life {
    constructor(connection, name, end) {
        this._connection = connection;
        this._name = name;
        this._end = end;
        this._calls = 0;
        /** `serving`, `leaving` while the name is given back, and then `ending`. */
        this._state = 'serving';
    }

    /** Takes the name; ends if another process has it. */
    async begin() {
        this._rest();
        const reply = await this._bus('RequestName', '(su)', [this._name, DO_NOT_QUEUE]);
        if (reply.deepUnpack()[0] !== PRIMARY_OWNER)
            this._end();
    }

    /** Does the work of a call. The program does not end before it is done. */
    async during(work) {
        this._calls++;
        if (this._timer)
            GLib.source_remove(this._timer);
        this._timer = null;
        try {
            return await work();
        } finally {
            this._calls--;
            this._rest();
        }
    }

    _rest() {
        if (this._calls > 0 || this._state === 'leaving')
            return;
        if (this._state === 'ending')
            this._end();
        else
            this._timer = GLib.timeout_add_seconds(GLib.PRIORITY_DEFAULT, IDLE, () => this._leave());
    }

    // The next call makes the bus start another process. The calls that the bus has passed on before are here before its
    // reply, and are still answered.
    _leave() {
        this._timer = null;
        this._state = 'leaving';
        this._bus('ReleaseName', '(s)', [this._name]).finally(() => {
            this._state = 'ending';
            this._rest();
        });
        return GLib.SOURCE_REMOVE;
    }

    _bus(method, signature, values) {
        return call(this._connection, 'org.freedesktop.DBus', '/org/freedesktop/DBus', `org.freedesktop.DBus.${method}`,
            signature, values);
    }
}
