// SPDX-License-Identifier: Apache-2.0
// One question and its answer, over a socket: JSON objects, one a line.
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';

import {Failure, promise} from './service.js';
import {_} from './text.js';

// Later than what the shell draws and than keys, so that an answer that comes fast holds up neither.
const PRIORITY = GLib.PRIORITY_DEFAULT_IDLE;

export class Turn {
    constructor(connection, cancellable) {
        this._connection = connection;
        this._cancellable = cancellable;
        this._written = Promise.resolve();
    }

    /** Asks, and gives each event as it comes; the last is `completed`. Throws a Failure in place of any other end. */
    async *ask(text) {
        const lines = new Gio.DataInputStream({base_stream: this._connection.input_stream});
        this._write({text});
        try {
            for (;;) {
                const [line] = await promise(lines, 'read_line_async', PRIORITY, this._cancellable).catch(() => [null]);
                if (line === null)
                    throw new Failure('Interrupted', _('The service ended before the answer was complete.'));
                const event = JSON.parse(new TextDecoder().decode(line));
                if (event.event === 'failed')
                    throw new Failure(event.error, event.message);
                yield event;
                if (event.event === 'completed')
                    return;
            }
        } finally {
            this._connection.close_async(PRIORITY, null, null);
        }
    }

    /** Ends the turn; its last event says so. */
    cancel() {
        this._write({cancel: true});
    }

    _write(line) {
        this._written = this._written.then(async () => {
            let rest = new GLib.Bytes(new TextEncoder().encode(`${JSON.stringify(line)}\n`));
            while (rest.get_size() > 0) {
                const count = await promise(this._connection.output_stream, 'write_bytes_async', rest, PRIORITY,
                    this._cancellable);
                rest = rest.new_from_bytes(count, rest.get_size() - count);
            }
        }).catch(() => {});  // The end of the reading says it.
    }
}
