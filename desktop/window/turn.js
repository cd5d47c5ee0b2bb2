// SPDX-License-Identifier: Apache-2.0
// One turn over the socket of `OpenTurn`: JSON Lines.
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';
import System from 'system';

import {Failure} from './bus.js';
import {_} from './text.js';

Gio._promisify(Gio.OutputStream.prototype, 'write_bytes_async');
Gio._promisify(Gio.DataInputStream.prototype, 'read_line_async', 'read_line_finish_utf8');

// GJS drops GLib callbacks during the sweep of an incremental garbage collection, and a dropped one would end the
// reading. So a full collection, which is not incremental, runs after this number of lines, before an incremental one
// begins by itself.
const LINES_PER_COLLECTION = 2000;

// Reading comes before drawing: where a frame takes long, the next one is due at its end, and drawing would leave no
// time for reading. A fast answer pauses in turn, so that it is drawn before its end. Both in milliseconds.
const READING_TIME = 30;
const DRAWING_TIME = 10;

const pause = milliseconds => new Promise(resolve => GLib.timeout_add(GLib.PRIORITY_DEFAULT, milliseconds, () => {
    resolve();
    return GLib.SOURCE_REMOVE;
}));

export class Turn {
    constructor(connection) {
        this._connection = connection;
        this._lines = new Gio.DataInputStream({baseStream: connection.inputStream});
        this._written = Promise.resolve();
    }

    /** Opens a turn of a thread, or without one of a client. */
    static async open(service, {thread = null, client = null}) {
        return new Turn(thread
            ? await service.open('Threads', 'OpenTurn', '(sa{sv})', [thread, {}])
            : await service.open('Client', 'OpenTurn', '(a{sv})', [{}], client ?? service.path));
    }

    /** Sends the question, and yields each event up to `completed`. Throws a Failure if the turn ends otherwise. */
    async *ask(text, images) {
        this._write(images.length > 0 ? {text, images} : {text});
        try {
            for (let count = 1, began = GLib.get_monotonic_time(); ; count++) {
                if (count % LINES_PER_COLLECTION === 0)
                    System.gc();
                if (GLib.get_monotonic_time() - began > READING_TIME * 1000) {
                    await pause(DRAWING_TIME);
                    began = GLib.get_monotonic_time();
                }
                const [line] = await this._lines.read_line_async(GLib.PRIORITY_DEFAULT, null).catch(() => [null]);
                if (line === null)
                    throw new Failure('Interrupted', _('The service ended before the answer was complete.'));
                const event = JSON.parse(line);
                if (event.event === 'failed')
                    throw Object.assign(new Failure(event.error, event.message), {details: event});
                yield event;
                if (event.event === 'completed')
                    return;
            }
        } finally {
            this._connection.close_async(GLib.PRIORITY_DEFAULT, null, null);
        }
    }

    /** Cancels the turn, which is then reported by its last event. */
    cancel() {
        this._write({cancel: true});
    }

    /** Answers a pending approval. */
    approve(call, approved) {
        this._write({approval: {call, approved}});
    }

    _write(line) {
        this._written = this._written.then(async () => {
            let rest = new GLib.Bytes(new TextEncoder().encode(`${JSON.stringify(line)}\n`));
            while (rest.get_size() > 0) {
                const count = await this._connection.outputStream.write_bytes_async(rest, GLib.PRIORITY_DEFAULT, null);
                rest = rest.new_from_bytes(count, rest.get_size() - count);
            }
        }).catch(() => {});  // Reading reports the error.
    }
}
