// SPDX-License-Identifier: Apache-2.0
// A question, and its answer as it is streamed.
import Clutter from 'gi://Clutter';
import GLib from 'gi://GLib';

import {Failure} from './shared/service.js';
import {numbered, sources} from './shared/sources.mjs';
import {_, searchText, visible} from './shared/text.js';
import {Turn} from './shared/turn.js';
import {beginning, markup} from './text.js';
import {align, column, label, linkButton, openPage, scroller} from './widgets.js';

// Milliseconds between two updates of the view while an answer is streamed.
const UPDATE_INTERVAL = 40;
// Milliseconds of reading after which the shell draws: less than a frame takes, so that a fast answer delays none.
const READING_TIME = 5;

export class Answer {
    /** `changed` is called when an answer begins or ends. */
    constructor(service, changed) {
        this._service = service;
        this._changed = changed;
        this._asked = null;
        this._heading = label('chappie-question');
        this._shown = label('chappie-answer');
        this._shown.can_focus = true;
        this._more = label('chappie-hint', _('The answer is longer than the box.'));
        this._state = label('chappie-hint');
        this._sources = column('chappie-list');
        this._problem = label('chappie-problem');
        const content = column('chappie-part chappie-content', this._heading, this._shown, this._more, this._sources,
            this._state, this._problem);
        this.actor = scroller('chappie-view', content);
        this._place = content.vadjustment;
        this.clear();
    }

    get isRunning() {
        return this._asked !== null;
    }

    /** Whether the shown answer is complete. Its turn is stored then. */
    get isComplete() {
        return this._isComplete && !this.isRunning;
    }

    /** Whether all of the answer is shown. */
    get isWhole() {
        return !this._more.visible;
    }

    /** Clears the view, and cancels a running turn. */
    clear(heading = '') {
        this._asked?.turn?.cancel();
        this._asked = null;
        this._isComplete = false;
        /** The text of the answer so far. */
        this.text = '';
        /** Why the latest question failed, or null. */
        this.failure = null;
        this._heading.text = beginning(heading);
        this._problem.text = this._state.text = '';
        this._sources.destroy_all_children();
        this._place.value = 0;
        this._draw();
    }

    /** Asks over the connection that `open` returns. */
    async ask(question, open, heading = question) {
        this.clear(heading);
        // A newer question, or disabling the extension, replaces this object.
        const asked = this._asked = {turn: null};
        this._draw();
        this._changed();
        try {
            asked.turn = new Turn(await open(), {cancellable: this._service.cancellable, readingTime: READING_TIME});
            if (asked !== this._asked) {
                asked.turn.close();
                return;
            }
            for await (const event of asked.turn.ask(question)) {
                if (asked !== this._asked)
                    continue;  // Events are ignored until the last one.
                if (event.event === 'text-delta')
                    this._append(event.text);
                else if (event.event === 'search')
                    this._tell(searchText(event));
                else if (event.event === 'completed')
                    this._complete(event);
            }
            if (asked === this._asked)
                this._end(null);
        } catch (error) {
            if (asked === this._asked)
                this._end(Failure.of(error));
        }
    }

    /** Shows the text that arrived while the popup was closed. */
    show() {
        this.resume();
        this._draw();
    }

    /** Resumes a read whose callback GJS may have dropped. */
    resume() {
        this._asked?.turn?.resume();
    }

    stop() {
        this.resume();
        if (this._asked?.turn)
            this._asked.turn.cancel();
        else if (this._asked)
            this._end(new Failure('Cancelled', ''));
    }

    /** Handles the keys that scroll. */
    scroll(key) {
        const pages = {[Clutter.KEY_Page_Up]: -1, [Clutter.KEY_Page_Down]: 1}[key];
        if (!pages)
            return Clutter.EVENT_PROPAGATE;
        this._place.value += pages * this._place.page_size;
        return Clutter.EVENT_STOP;
    }

    destroy() {
        this._asked = null;
        this._cancelDrawing();
    }

    /** A line below the answer; empty for none. */
    _tell(text) {
        this._state.text = text;
        this._draw();
    }

    _complete({text, searches, citations}) {
        [this.text, this._isComplete] = [numbered(text, citations), true];
        const pages = sources(citations);
        pages.forEach(({url, label: name}) => this._sources.add_child(linkButton(visible(name), () => openPage(url))));
        this._tell(pages.length === 0 && searches === 0 ? _('The model did not search the web.') : '');
    }

    _append(text) {
        this.text += text;
        if (this._drawing || this._more.visible || !this.actor.mapped)
            return;
        this._drawing = GLib.timeout_add(GLib.PRIORITY_DEFAULT, UPDATE_INTERVAL, () => {
            this._drawing = 0;
            this._draw();
            return GLib.SOURCE_REMOVE;
        });
    }

    _end(failure) {
        this.failure = failure;
        this._problem.text = {
            Cancelled: _('Stopped.'),
            Network: _('The servers cannot be reached. Check the connection to the network.'),
        }[failure?.code] ?? failure?.message ?? '';
        this._asked = null;
        if (failure)
            this._state.text = '';  // No search goes on.
        this._draw();
        this._changed();
    }

    _draw() {
        this._cancelDrawing();
        const shown = beginning(this.text);
        this._shown.clutter_text.set_markup(markup(shown));
        [this._heading, this._shown].forEach(align);
        this._shown.visible = this.text !== '';
        this._more.visible = shown.length < this.text.length;
        [this._heading, this._state, this._problem].forEach(part => (part.visible = part.text !== ''));
        this.actor.visible = this._heading.visible || this._problem.visible || this._shown.visible || this._state.visible;
    }

    _cancelDrawing() {
        if (this._drawing)
            GLib.source_remove(this._drawing);
        this._drawing = 0;
    }
}
