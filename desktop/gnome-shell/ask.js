// SPDX-License-Identifier: Apache-2.0
// The question and its answer in the panel's popup. Follow-up questions are in the same thread, which the window shows too.
import GLib from 'gi://GLib';
import Pango from 'gi://Pango';
import St from 'gi://St';

import {Answer} from './answer.js';
import {ChoicesView} from './choices.js';
import {Failure} from './shared/service.js';
import {_} from './shared/text.js';
import {button, column, copy, iconButton, row} from './widgets.js';

export class Ask {
    /** `changed` is called when an answer begins or ends. */
    constructor(service, changed) {
        this._service = service;
        this._changed = changed;
        /** The thread of the shown question, or null. */
        this.thread = null;
        this._asking = '';
        // Whether the entry replaces the shown question.
        this._isEdited = false;
        this._build();
        this._draw();
    }

    _build() {
        this._answer = new Answer(this._service, () => this._answered());
        this._copy = button(_('Copy the answer'), () => copy(this._answer.text));
        this._again = iconButton('view-refresh-symbolic', _('Ask again'),
            () => this._begin(this._asking, this._answer.isComplete));
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
            return this._answer.scroll(event.get_key_symbol());
        });
        this._send = iconButton('go-up-symbolic', _('Ask'), () => this._submit());
        this._stop = iconButton('media-playback-stop-symbolic', _('Stop the answer'), () => this._answer.stop());
        this.actor = column('chappie-part', this._answer.actor, this._answerButtons,
            row('chappie-row', this._entry, this._send, this._stop), this._choices.actor);
    }

    get isRunning() {
        return this._answer.isRunning;
    }

    /** Whether the latest question failed with a network error. */
    get isOffline() {
        return this._answer.failure?.code === 'Network';
    }

    focus() {
        this._entry.grab_key_focus();
    }

    /** Shows what has changed while the popup was closed. */
    show() {
        this._answer.show();
        this._choices.show();
    }

    /** Clears the view, and cancels a running turn. */
    reset() {
        this.thread = null;
        this._asking = '';
        this._isEdited = false;
        this._choices.reset();
        this._answer.clear();
        this._draw();
    }

    resume() {
        this._answer.resume();
    }

    destroy() {
        this._answer.destroy();
    }

    _submit() {
        const text = this._entry.text.trim();
        if (text === '' || this.isRunning)
            return;
        const replaces = this._isEdited && this._answer.isComplete;
        this._entry.text = '';
        this._begin(text, replaces);
    }

    /** Asks; with `replaces` the turn of the shown question is removed first. */
    _begin(text, replaces) {
        const replaced = replaces ? this._asking : null;
        this._asking = text;
        this._isEdited = false;
        this._answer.ask(text, () => this._open(replaced));
    }

    async _open(replaced) {
        const {thread} = this;
        if (replaced !== null && thread !== null) {
            await this._service.call('Threads', 'UndoTurn', '(sa{sv})', [thread, {text: new GLib.Variant('s', replaced)}]);
            // A new conversation may have begun meanwhile.
            if (thread !== this.thread)
                throw new Failure('Cancelled', '');
        }
        // Without stored threads, each question is a conversation of its own.
        this.thread ??= await this._service.createThread();
        return this._service.openTurn({thread: this.thread, options: this._choices.value.options});
    }

    _answered() {
        if (this._answer.failure?.code === 'NoSuchThread')
            this.thread = null;
        this._draw();
        this._changed();
    }

    _draw() {
        this._answerButtons.visible = this._asking !== '' && !this.isRunning;
        this._copy.visible = this._answer.text !== '';
        this._send.visible = !this.isRunning;
        this._stop.visible = this.isRunning;
    }
}
