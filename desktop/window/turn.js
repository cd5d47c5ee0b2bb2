// SPDX-License-Identifier: Apache-2.0
// One question and its answer, over a socket: JSON objects, one a line.
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';
import System from 'system';

import {Failure} from './bus.js';
import {_} from './text.js';

Gio._promisify(Gio.OutputStream.prototype, 'write_bytes_async');
Gio._promisify(Gio.DataInputStream.prototype, 'read_line_async', 'read_line_finish_utf8');

// While an incremental collection sweeps, GJS drops the callbacks of GLib, and a dropped one would end the reading. So a
// whole collection, which is not incremental, comes before one begins by itself: after this number of lines.
const COLLECT = 2000;

export class Turn {
    constructor(connection) {
        this._connection = connection;
        this._lines = new Gio.DataInputStream({baseStream: connection.inputStream});
        this._written = Promise.resolve();
    }

    /** Opens a turn of a thread, or of a client when there is no thread. */
    static async open(service, {thread = null, client = null}) {
        return new Turn(thread
            ? await service.open('Threads', 'OpenTurn', '(sa{sv})', [thread, {}])
            : await service.open('Client', 'OpenTurn', '(a{sv})', [{}], client ?? service.path));
    }

    /** Asks, and gives each event as it comes; the last is `completed`. Throws a Failure in place of any other end. */
    async *ask(text, images) {
        this._write(images.length > 0 ? {text, images} : {text});
        try {
            for (let count = 1; ; count++) {
                if (count % COLLECT === 0)
                    System.gc();
                // After the frames of the window, which a quick answer would hold up until its end.
                const [line] = await this._lines.read_line_async(GLib.PRIORITY_DEFAULT_IDLE, null).catch(() => [null]);
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

    /** Ends the turn; its last event says so. */
    cancel() {
        this._write({cancel: true});
    }

    /** Answers a tool that waits for approval. */
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
        }).catch(() => {});  // The end of the reading says it.
    }
}
