// SPDX-License-Identifier: Apache-2.0
// A question and its streamed answer. Follow-up questions are in the same thread, which the window shows too.
import Clutter from 'gi://Clutter';
import GLib from 'gi://GLib';
import Pango from 'gi://Pango';
import St from 'gi://St';

import {ChoicesView} from './choices.js';
import {Failure} from './shared/service.js';
import {numbered, sources} from './shared/sources.mjs';
import {_, searchText, visible} from './shared/text.js';
import {Turn} from './shared/turn.js';
import {beginning, markup} from './text.js';
import {button, column, copy, iconButton, label, linkButton, openPage, row, scroller} from './widgets.js';

// Milliseconds between two updates of the view while an answer is streamed.
const UPDATE_INTERVAL = 40;
// Milliseconds of reading after which the shell draws: less than a frame takes, so that a fast answer delays none.
const READING_TIME = 5;

export class Ask {
    /** `changed` is called when an answer begins or ends. */
    constructor(service, changed) {
        this._service = service;
        this._changed = changed;
        /** The thread of the shown question, or null. */
        this.thread = null;
        /** Whether the latest question failed with a network error. */
        this.isOffline = false;
        this._answer = '';
        this._asked = null;
        // Whether the turn of the shown question is certainly stored, and whether the entry replaces it.
        this._isStored = false;
        this._isEdited = false;
        this._build();
        this._draw();
    }

    _build() {
        this._question = label('chappie-question');
        this._shown = label('chappie-answer');
        this._shown.can_focus = true;
        this._more = label('chappie-hint', _('The answer is longer than the box.'));
        this._state = label('chappie-hint');
        this._sources = column('chappie-list');
        this._problem = label('chappie-problem');
        const content = column('chappie-part chappie-content', this._question, this._shown, this._more, this._sources, this._state,
            this._problem);
        this._view = scroller('chappie-view', content);
        this._place = content.vadjustment;
        this._copy = button(_('Copy the answer'), () => copy(this._answer));
        this._again = iconButton('view-refresh-symbolic', _('Ask again'), () => this._begin(this._asking, this._isStored));
        this._edit = iconButton('document-edit-symbolic', _('Edit the question'), () => {
            this._isEdited = this._entry.text === '' || this._isEdited;
            this._entry.text ||= this._asking;  // A draft stays.
            this.focus();
        });
        const begin = iconButton('list-add-symbolic', _('New conversation'), () => {
            this.reset();
            this.focus();
        });
        this._answerButtons = row('chappie-row', this._copy, this._again, this._edit, begin);
        this._choices = new ChoicesView(this._service, () => this.focus());
        this._entry = new St.Entry({
            style_class: 'chappie-entry', hint_text: _('Ask something'), accessible_name: _('Question'), can_focus: true, x_expand: true,
        });
        // Enter asks; with Shift it begins a new line.
        this._entry.clutter_text.set({
            single_line_mode: false, activatable: true, line_wrap: true, line_wrap_mode: Pango.WrapMode.WORD_CHAR,
        });
        this._entry.clutter_text.connect('activate', () => this._submit());
        this._entry.clutter_text.connect('text-changed', () => {
            this._isEdited &&= this._entry.text !== '';
        });
        this._entry.clutter_text.connect('key-press-event', (_entry, event) => {
            this.resume();
            return this._scroll(event.get_key_symbol());
        });
        this._send = iconButton('go-up-symbolic', _('Ask'), () => this._submit());
        this._stop = iconButton('media-playback-stop-symbolic', _('Stop the answer'), () => this.stop());
        this.actor = column('chappie-part', this._view, this._answerButtons,
            row('chappie-row', this._entry, this._send, this._stop), this._choices.actor);
    }

    get isRunning() {
        return this._asked !== null;
    }

    focus() {
        this._entry.grab_key_focus();
    }

    /** Shows the text that arrived while the popup was closed. */
    show() {
        this.resume();
        this._draw();
        this._choices.show();
    }

    /** Clears the view, and cancels a running turn. */
    reset() {
        this._asked?.turn?.cancel();
        this._asked = null;
        this.thread = null;
        this.isOffline = false;
        this._choices.reset();
        this._clear('');
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

    destroy() {
        this._asked = null;
        this._cancelDrawing();
    }

    _submit() {
        const text = this._entry.text.trim();
        if (text === '' || this.isRunning)
            return;
        const replaces = this._isEdited && this._isStored;
        this._entry.text = '';
        this._begin(text, replaces);
    }

    /** Asks; with `replaces` the turn of the shown question is removed first. */
    _begin(text, replaces) {
        const replaced = replaces ? this._asking : null;
        this._clear(text);
        this._ask(text, replaced);
        this._changed();
    }

    async _ask(text, replaced) {
        // A newer question, or disabling the extension, replaces this object.
        const asked = this._asked = {turn: null};
        this._draw();
        try {
            if (replaced !== null && this.thread !== null) {
                await this._service.call('Threads', 'UndoTurn', '(sa{sv})',
                    [this.thread, {text: new GLib.Variant('s', replaced)}]);
                if (asked !== this._asked)
                    return;
            }
            asked.turn = new Turn(await this._open(), {cancellable: this._service.cancellable, readingTime: READING_TIME});
            if (asked !== this._asked) {
                asked.turn.close();
                return;
            }
            for await (const event of asked.turn.ask(text)) {
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

    async _open() {
        // Without stored threads, each question is a conversation of its own.
        this.thread ??= await this._service.createThread();
        return this._service.openTurn({thread: this.thread, options: this._choices.value.options});
    }

    _clear(question) {
        this._asking = question;
        this._isStored = this._isEdited = false;
        this._question.text = beginning(question);
        this._answer = '';
        this._problem.text = this._state.text = '';
        this._sources.destroy_all_children();
        this._place.value = 0;
    }

    /** A line below the answer; empty for none. */
    _tell(text) {
        this._state.text = text;
        this._draw();
    }

    _complete({text, searches, citations}) {
        [this._answer, this._isStored] = [numbered(text, citations), true];
        const pages = sources(citations);
        pages.forEach(({url, label: name}) => this._sources.add_child(linkButton(visible(name), () => openPage(url))));
        this._tell(pages.length === 0 && searches === 0 ? _('The model did not search the web.') : '');
    }

    _append(text) {
        this._answer += text;
        if (this._drawing || this._more.visible || !this.actor.mapped)
            return;
        this._drawing = GLib.timeout_add(GLib.PRIORITY_DEFAULT, UPDATE_INTERVAL, () => {
            this._drawing = 0;
            this._draw();
            return GLib.SOURCE_REMOVE;
        });
    }

    _end(failure) {
        this.isOffline = failure?.code === 'Network';
        if (failure?.code === 'NoSuchThread')
            this.thread = null;
        this._problem.text = failure?.code === 'Cancelled' ? _('Stopped.') : this.isOffline
            ? _('The servers cannot be reached. Check the connection to the network.') : failure?.message ?? '';
        this._asked = null;
        if (failure)
            this._state.text = '';  // No search goes on.
        this._draw();
        this._changed();
    }

    _draw() {
        this._cancelDrawing();
        const shown = beginning(this._answer);
        this._shown.clutter_text.set_markup(markup(shown));
        this._shown.visible = this._answer !== '';
        this._more.visible = shown.length < this._answer.length;
        this._state.visible = this._state.text !== '';
        this._problem.visible = this._problem.text !== '';
        this._question.visible = this._view.visible = this._question.text !== '';
        this._answerButtons.visible = this._question.text !== '' && !this.isRunning;
        this._copy.visible = this._answer !== '';
        this._send.visible = !this.isRunning;
        this._stop.visible = this.isRunning;
    }

    _cancelDrawing() {
        if (this._drawing)
            GLib.source_remove(this._drawing);
        this._drawing = 0;
    }

    _scroll(key) {
        const pages = {[Clutter.KEY_Page_Up]: -1, [Clutter.KEY_Page_Down]: 1}[key];
        if (!pages)
            return Clutter.EVENT_PROPAGATE;
        this._place.value += pages * this._place.page_size;
        return Clutter.EVENT_STOP;
    }
}
