// SPDX-License-Identifier: Apache-2.0
// One turn over the socket of `OpenTurn`: JSON Lines.
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';

import {Failure, promise} from './service.js';
import {_} from './text.js';

export class Turn {
    /**
     * `priority` is that of reading. `pause`, if it is given, is awaited after each reading, with the number of lines
     * that it brought.
     */
    constructor(connection, {cancellable, priority = GLib.PRIORITY_DEFAULT, pause = null}) {
        this._connection = connection;
        this._cancellable = cancellable;
        this._priority = priority;
        this._pause = pause;
        this._input = new Gio.BufferedInputStream({base_stream: connection.input_stream, buffer_size: 1 << 16});
        this._written = Promise.resolve();
    }

    /** Sends the question, and yields each event up to `completed`. Throws a Failure if the turn ends otherwise. */
    async *ask(text, images = []) {
        this._write(images.length > 0 ? {text, images} : {text});
        try {
            while (await this._fill()) {
                const lines = this._lines();
                for (const line of lines) {
                    const event = JSON.parse(line);
                    if (event.event === 'failed')
                        throw Object.assign(new Failure(event.error, event.message), {details: event});
                    yield event;
                    if (event.event === 'completed')
                        return;
                }
                await this._pause?.(lines.length);
            }
            throw new Failure('Interrupted', _('The service ended before the answer was complete.'));
        } finally {
            this.close();
        }
    }

    /**
     * Resumes reading if it has stopped. GJS drops callbacks during garbage collection, and a dropped one would end the
     * reading. The data that it has read is in the buffer even then.
     */
    resume() {
        if (!this._input.has_pending())
            this._filled?.(true);
    }

    /** Reads available data into the buffer. Returns false at the end of the stream. */
    _fill() {
        return new Promise(resolve => {
            this._filled = resolve;
            promise(this._input, 'fill_async', -1, this._priority, this._cancellable)
                .then(count => resolve(count > 0), () => resolve(false));
        });
    }

    /** Removes all complete lines from the buffer, and returns them. */
    _lines() {
        const bytes = this._input.peek_buffer();
        const length = bytes.lastIndexOf(10) + 1;
        if (length === 0 && bytes.length === this._input.buffer_size)
            this._input.buffer_size *= 2;
        // These bytes are in the buffer, so this does not block.
        if (length > 0)
            this._input.skip(length, null);
        return new TextDecoder().decode(bytes.subarray(0, length)).split('\n').slice(0, -1);
    }

    close() {
        this._connection.close_async(this._priority, null, null);
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
                const count = await promise(this._connection.output_stream, 'write_bytes_async', rest, this._priority,
                    this._cancellable);
                rest = rest.new_from_bytes(count, rest.get_size() - count);
            }
        }).catch(() => {});  // Reading reports the error.
    }
}
