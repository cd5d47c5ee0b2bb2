// SPDX-License-Identifier: Apache-2.0
// What is found for a text: stored threads, and last an entry that asks. An id says everything that opening needs, so
// that it outlives the process.
import GLib from 'gi://GLib';

import {folded} from './titles.js';
import {_, fill, flat, oneLine} from './text.js';

const MOST = 8;
/** No title is longer, in bytes. */
const LONGEST_TITLE = 1024;
const THREAD = 'thread:';
// GNOME Shell shows results with this beginning beside the few that it has room for.
const ASK = 'special:ask:';

/** What opening an id does: an action of the window and its parameter. Null for an id that is none. */
export function actionOf(id) {
    if (id.startsWith(ASK) && id.length > ASK.length)
        return ['ask', id.slice(ASK.length)];
    if (id.startsWith(THREAD) && id.length > THREAD.length)
        return ['thread', id.slice(THREAD.length)];
    return null;
}

export class Search {
    constructor(titles) {
        this._titles = titles;
    }

    /** Ends a search: the titles are forgotten. */
    forget() {
        this._titles.forget();
    }

    /** The ids of what is found, threads first. A longer text finds fewer threads. */
    async find(text) {
        const question = flat(text);
        if (!question)
            return [];
        return [...await this._threads(question), `${ASK}${question}`];
    }

    /** An id, its `name` and its `description` for each id that `find` has given, and nothing for other ids. */
    async describe(ids) {
        const threads = ids.some(id => id.startsWith(THREAD)) ? await this._titles.list() : [];
        const known = new Map(threads.map(thread => [thread.id, thread]));
        return ids.flatMap(id => {
            const [action, parameter] = actionOf(id) ?? [];
            if (action === 'ask')
                return [{id, name: fill(_('Ask: %s'), oneLine(parameter)), description: _('Shows the answer in a window')}];
            return action === 'thread' ? [{id, ...this._describe(known.get(parameter))}] : [];
        });
    }

    _describe(thread) {
        // It was deleted, or something was locked meanwhile. GNOME Shell shows no result at all where one has no name.
        if (!thread)
            return {name: _('Conversation'), description: ''};
        const day = GLib.DateTime.new_from_unix_local(thread.updated)?.format('%x') ?? '';
        return {
            name: oneLine(thread.title) || _('Conversation'),
            description: fill(thread.archived ? _('Archived conversation, %s') : _('Conversation, %s'), day),
        };
    }

    async _threads(question) {
        if (question.length > LONGEST_TITLE)
            return [];
        const words = [...new Set(flat(folded(question)).split(' '))].filter(word => word);
        if (words.length === 0)
            return [];
        const found = (await this._titles.list()).filter(({folded: title}) => words.every(word => title.includes(word)));
        // First come those in which each is the beginning of a word.
        const [first, others] = [true, false].map(isFirst => found.filter(({folded: title}) =>
            words.every(word => ` ${title}`.includes(` ${word}`)) === isFirst));
        return [...first, ...others].slice(0, MOST).map(({id}) => `${THREAD}${id}`);
    }
}
