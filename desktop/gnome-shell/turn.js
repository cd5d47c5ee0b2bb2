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
        this._input = new Gio.BufferedInputStream({base_stream: connection.input_stream, buffer_size: 1 << 16});
        this._written = Promise.resolve();
    }

    /** Asks, and gives each event as it comes; the last is `completed`. Throws a Failure in place of any other end. */
    async *ask(text) {
        this._write({text});
        try {
            while (await this._fill()) {
                for (const line of this._lines()) {
                    const event = JSON.parse(line);
                    if (event.event === 'failed')
                        throw new Failure(event.error, event.message);
                    yield event;
                    if (event.event === 'completed')
                        return;
                }
            }
            throw new Failure('Interrupted', _('The service ended before the answer was complete.'));
        } finally {
            this.close();
        }
    }

    /**
     * Goes on reading if it has stopped. GJS drops callbacks that come while it collects memory, and with one of them
     * the reading would end. What was read is in the buffer even then.
     */
    wake() {
        if (!this._input.has_pending())
            this._filled?.(true);
    }

    /** Reads what has come into the buffer, and says whether more may come. */
    _fill() {
        return new Promise(resolve => {
            this._filled = resolve;
            promise(this._input, 'fill_async', -1, PRIORITY, this._cancellable)
                .then(count => resolve(count > 0), () => resolve(false));
        });
    }

    /** Takes all lines that are whole out of the buffer. */
    _lines() {
        const bytes = this._input.peek_buffer();
        const length = bytes.lastIndexOf(10) + 1;
        if (length === 0 && bytes.length === this._input.buffer_size)
            this._input.buffer_size *= 2;
        // The buffer has them, so this does not wait.
        if (length > 0)
            this._input.skip(length, null);
        return new TextDecoder().decode(bytes.subarray(0, length)).split('\n').slice(0, -1);
    }

    close() {
        this._connection.close_async(PRIORITY, null, null);
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
