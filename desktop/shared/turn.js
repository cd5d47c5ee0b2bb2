// SPDX-License-Identifier: Apache-2.0
// One turn over the socket of `OpenTurn`: JSON Lines.
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';

import {Failure, promise} from './service.js';
import {_} from './text.js';

// In milliseconds.
const DRAWING_TIME = 10;

/** The options of a turn that an action of `ListActions` has. */
export const actionOptions = action => Object.fromEntries(['instructions', 'model', 'reasoning_effort']
    .filter(name => action[name]).map(name => [name, new GLib.Variant('s', action[name])]));

/**
 * Reading comes before drawing: where a frame takes long, the next one is due at its end, and drawing would leave no
 * time for reading. A fast answer pauses in turn, so that it is drawn before its end.
 */
export class Turn {
    /**
     * A pause follows after `readingTime` milliseconds. `received`, if it is given, is called after each reading, with
     * the number of lines that it brought.
     */
    constructor(connection, {cancellable, readingTime, received = null}) {
        this._connection = connection;
        this._cancellable = cancellable;
        this._readingTime = readingTime;
        this._received = received;
        this._began = GLib.get_monotonic_time();
        this._input = new Gio.BufferedInputStream({base_stream: connection.input_stream, buffer_size: 1 << 16});
        this._written = Promise.resolve();
    }

    /**
     * Sends the question, and yields each event up to `completed`. Throws a Failure if the turn ends otherwise. Each of
     * `attached` has the `address` of a picture, or the `document`.
     */
    async *ask(text, attached = []) {
        const all = key => attached.map(attachment => attachment[key]).filter(address => address);
        this._write({text, images: all('address'), files: all('document')});
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
                this._received?.(lines.length);
                await this._pause();
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
        this._paused?.();
    }

    async _pause() {
        if (GLib.get_monotonic_time() - this._began < this._readingTime * 1000)
            return;
        await new Promise(resolve => {
            this._paused = resolve;
            GLib.timeout_add(GLib.PRIORITY_DEFAULT, DRAWING_TIME, () => {
                resolve();
                return GLib.SOURCE_REMOVE;
            });
        });
        this._began = GLib.get_monotonic_time();
    }

    /** Reads available data into the buffer. Returns false at the end of the stream. */
    _fill() {
        return new Promise(resolve => {
            this._filled = resolve;
            promise(this._input, 'fill_async', -1, GLib.PRIORITY_DEFAULT, this._cancellable)
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
        this._connection.close_async(GLib.PRIORITY_DEFAULT, null, null);
    }

    /** Cancels the turn, which is then reported by its last event. */
    cancel() {
        this._write({cancel: true});
    }

    /** Answers a pending approval. */
    approve(call, approved) {
        this._write({approval: {call, approved}});
    }

    /** Answers a question of a tool server. `content` is null if the user declines. */
    answer(call, content) {
        this._write({input: {call, action: content ? 'accept' : 'decline', content: content ?? {}}});
    }

    _write(line) {
        this._written = this._written.then(async () => {
            let rest = new GLib.Bytes(new TextEncoder().encode(`${JSON.stringify(line)}\n`));
            while (rest.get_size() > 0) {
                const count = await promise(this._connection.output_stream, 'write_bytes_async', rest,
                    GLib.PRIORITY_DEFAULT, this._cancellable);
                rest = rest.new_from_bytes(count, rest.get_size() - count);
            }
        }).catch(() => {});  // Reading reports the error.
    }
}
