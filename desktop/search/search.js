// SPDX-License-Identifier: Apache-2.0
// The results of a search: stored threads, and an entry that asks. A result's id has all that opening it needs, so it
// stays valid in another process.
import GLib from 'gi://GLib';

import {openWindow} from '../shared/service.js';
import {_, fill} from '../shared/text.js';
import {ErrorReply} from './bus.js';
import {flat, oneLine} from './text.js';
import {folded} from './titles.js';

const MAXIMUM_RESULTS = 8;
/** The service's limit for titles, in bytes. */
const MAXIMUM_TITLE = 1024;
const THREAD = 'thread:';
// GNOME Shell shows results with this prefix in addition to the few that it has room for.
const ASK = 'special:ask:';

/** The action of the window that opens a result, and its parameter; null for an invalid id. */
function actionOf(id) {
    if (id.startsWith(ASK) && id.length > ASK.length)
        return ['ask', id.slice(ASK.length)];
    if (id.startsWith(THREAD) && id.length > THREAD.length)
        return ['thread', id.slice(THREAD.length)];
    return null;
}

/** Opens the result with this id in the window. */
export function openResult(connection, id) {
    const action = actionOf(id);
    if (!action)
        throw new ErrorReply('InvalidArgs', 'There is no such result.');
    return openWindow(connection, ...action);
}

export class Search {
    constructor(titles) {
        this._titles = titles;
    }

    /** Ends a search, and discards the titles. */
    forget() {
        this._titles.forget();
    }

    /** The ids of the results, threads first. A longer text matches fewer threads. */
    async find(text) {
        const question = flat(text);
        if (!question)
            return [];
        return [...await this._threads(question), `${ASK}${question}`];
    }

    /** `id`, `name` and `description` of each result of `find`; other ids are left out. */
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
        // The thread was deleted, or something was locked meanwhile. GNOME Shell shows no results if one has no name.
        if (!thread)
            return {name: _('Conversation'), description: ''};
        const day = GLib.DateTime.new_from_unix_local(thread.updated)?.format('%x') ?? '';
        return {
            name: oneLine(thread.title) || _('Conversation'),
            description: fill(thread.archived ? _('Archived conversation, %s') : _('Conversation, %s'), day),
        };
    }

    async _threads(question) {
        if (question.length > MAXIMUM_TITLE)
            return [];
        const words = [...new Set(flat(folded(question)).split(' '))].filter(word => word);
        if (words.length === 0)
            return [];
        const found = (await this._titles.list()).filter(({folded: title}) => words.every(word => title.includes(word)));
        // Titles in which every word matches the beginning of a word come first.
        const [first, others] = [true, false].map(isFirst => found.filter(({folded: title}) =>
            words.every(word => ` ${title}`.includes(` ${word}`)) === isFirst));
        return [...first, ...others].slice(0, MAXIMUM_RESULTS).map(({id}) => `${THREAD}${id}`);
    }
}
