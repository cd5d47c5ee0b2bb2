// SPDX-License-Identifier: Apache-2.0
// The texts of stored conversations, for a search. The bus has no search of texts, so the latest conversations are
// read, one after the other; the texts stay in memory until anything is locked, and are never written.

// The number of conversations whose texts are searched.
const MAXIMUM_TEXTS = 200;
// In bytes: larger conversations are found by their titles alone, and so is what exceeds the total.
const MAXIMUM_SIZE = 1024 * 1024;
const MAXIMUM_TOTAL = 32 * 1024 * 1024;

/** The words of a search. */
export const words = text => text.toLowerCase().split(/\s+/).filter(word => word);

/** The questions and answers of a thread, in the JSON of `Threads.Get`. */
function textOf(json) {
    const events = JSON.parse(json).turns.flatMap(turn => turn.events);
    return events.map(event => event.message?.text ?? event.text ?? event.summary ?? '').join('\n').toLowerCase();
}

export class Texts {
    constructor(service) {
        this._service = service;
        this._read = new Map();  // By thread: its text, and the change that it is of.
    }

    clear() {
        // A text that is being read now goes into the old map.
        this._read = new Map();
    }

    /**
     * Calls `found` with the ids of those threads whose texts have all words, latest first, as long as `isCurrent`.
     * Returns the number of threads whose texts were searched.
     */
    async search(text, threads, isCurrent, found) {
        let total = 0;
        let count = 0;
        for (const thread of threads.slice(0, MAXIMUM_TEXTS)) {
            if (thread.bytes > MAXIMUM_SIZE)
                continue;
            total += thread.bytes;
            const read = total > MAXIMUM_TOTAL ? null : await this._text(thread);
            if (read === null || !isCurrent())
                break;
            count++;
            if (words(text).every(word => read.includes(word)))
                found(thread.id);
        }
        return count;
    }

    /** The text of a thread; null if nothing more can be read, as while the keyring is locked. */
    async _text({id, updated_at: updated, turn_count: count}) {
        const change = `${updated} ${count}`;
        const read = this._read;
        if (read.get(id)?.change !== change) {
            try {
                const [json] = await this._service.call('Threads', 'Get', '(s)', [id]);
                read.set(id, {change, text: textOf(json)});
            } catch (error) {
                return error.code === 'NoSuchThread' ? '' : null;
            }
        }
        return read.get(id).text;
    }
}
