// SPDX-License-Identifier: Apache-2.0
// A question with its pictures and files, or an answer with its buttons.
import GObject from 'gi://GObject';
import Gtk from 'gi://Gtk?version=4.0';

import {numbered, sources} from '../shared/sources.mjs';
import {_, searchText, visible} from '../shared/text.js';
import {Answer} from './answer.js';
import {Approval} from './approval.js';
import {thumbnail, withoutFiles} from './attachments.js';
import {ToolQuestion} from './tool-question.js';
import {iconButton, named} from './widgets.js';

export const Question = GObject.registerClass({
    GTypeName: 'ChappieQuestion',
    Signals: {edit: {}},
}, class Question extends Gtk.Box {
    /** `text` may have text files in it: see `withFiles`. */
    constructor(text, attached) {
        super({orientation: Gtk.Orientation.VERTICAL, spacing: 3, accessibleRole: Gtk.AccessibleRole.GROUP});
        named(this, _('You'));
        const card = new Gtk.Box({
            orientation: Gtk.Orientation.VERTICAL, spacing: 6, halign: Gtk.Align.END, cssClasses: ['question', 'card'],
        });
        this.parts = {...withoutFiles(text), attached};
        [...attached, ...this.parts.files].forEach(attachment => card.append(thumbnail(attachment)));
        // A pasted file can be too large for one label.
        const shown = this.parts.text.length > 16384 ? `${this.parts.text.slice(0, 16384)}…` : this.parts.text;
        if (shown)
            card.append(new Gtk.Label({label: shown, wrap: true, wrapMode: 2, xalign: 0, selectable: true}));
        this._edit = iconButton('document-edit-symbolic', _('Edit the question'), {
            cssClasses: ['flat'], halign: Gtk.Align.END, visible: false, act: () => this.emit('edit'),
        });
        [card, this._edit].forEach(child => this.append(child));
    }

    /** Whether it is the last question, and its answer has ended. */
    set isLast(isLast) {
        this._edit.visible = isLast;
    }
});

export const Reply = GObject.registerClass({
    GTypeName: 'ChappieReply',
    Signals: {grown: {}, retry: {}, again: {}, 'sign-in': {}},
}, class Reply extends Gtk.Box {
    /** `hasButtons` are those below the answer: “Copy” and “Ask again”. */
    constructor({hasButtons = true} = {}) {
        super({
            orientation: Gtk.Orientation.VERTICAL, spacing: 8, cssClasses: ['reply'],
            accessibleRole: Gtk.AccessibleRole.GROUP,
        });
        named(this, _('Answer'));
        /** Whether the turn is certainly stored. */
        this.isStored = false;
        this._answer = new Answer();
        this._answer.connect('grown', () => this.emit('grown'));
        this._waiting = new Gtk.Box({spacing: 8});
        this._spinner = new Gtk.Spinner({spinning: true});
        this._state = new Gtk.Label({label: _('Waiting for the answer…'), xalign: 0, cssClasses: ['dim-label']});
        this._waiting.append(this._spinner);
        this._waiting.append(this._state);
        this._tools = new Gtk.Box({orientation: Gtk.Orientation.VERTICAL, spacing: 6});
        this._foot = new Gtk.Box({spacing: 6, visible: false});
        this._foot.append(iconButton('edit-copy-symbolic', _('Copy the answer'), {
            cssClasses: ['flat'], visible: hasButtons, act: () => this.get_clipboard().set(this.text),
        }));
        this._again = iconButton('view-refresh-symbolic', _('Ask again'), {
            tooltipText: _('Ask again, and replace the answer'), cssClasses: ['flat'], visible: false,
            act: () => this.emit('again'),
        });
        this._foot.append(this._again);
        this._sources = new Gtk.Box({orientation: Gtk.Orientation.VERTICAL, visible: false});
        [this._answer, this._sources, this._tools, this._waiting, this._foot].forEach(child => this.append(child));
    }

    get text() {
        return this._answer.text;
    }

    /** What it waits for. */
    /** Asks, and shows the answer of the turn. Throws a Failure, which `fail` shows. */
    async follow(turn, text, attached = []) {
        for await (const event of turn.ask(text, attached))
            this._take(event, turn);
    }

    _take(event, turn) {
        switch (event.event) {
        case 'text-delta':
            this.append_text(event.text);
            break;
        case 'search':
            this._state.label = searchText(event) || _('Answering…');
            break;
        case 'approval-requested': {
            const card = new Approval({tool: event.name, text: event.arguments, problem: event.message});
            card.connect('answered', (_card, approved) => turn.approve(event.call, approved));
            this._addTool(card);
            break;
        }
        case 'tool-progressed':
            this._state.label = visible(event.message) || _('Answering…');
            break;
        case 'input-requested': {
            const card = new ToolQuestion(event);
            card.connect('answered', () => turn.answer(event.call, card.content));
            this._addTool(card);
            break;
        }
        case 'completed':
            this.complete(event.text, event.model);
            this.cite(event);
            break;
        }
    }

    append_text(text) {
        this._state.label = _('Answering…');
        this._answer.append_text(text);
    }

    _addTool(card) {
        this._tools.append(card);
        this.emit('grown');
    }

    /** Completes the answer. `model` is optional. */
    complete(text, model) {
        // The complete text supplies deltas that were missed.
        if (text?.startsWith(this.text) && text.length > this.text.length)
            this._answer.append_text(text.slice(this.text.length));
        this._end();
        this.isStored = true;
        if (model)
            this._foot.append(new Gtk.Label({label: model, cssClasses: ['caption', 'dim-label']}));
    }

    /** Shows what a complete answer rests on: its sources, as links, or what the model did not do. */
    cite({searches, citations, files_as: filesAs}) {
        if (filesAs === 'text')
            this._note(_('The model got the text of the files, and pictures of the first pages of PDFs.'));
        const pages = sources(citations);
        if (pages.length === 0 && searches !== 0)
            return;
        const text = numbered(this.text, citations);
        if (text !== this.text)
            this._answer.show_instead(text);
        this._note(pages.length > 0 ? _('Sources') : _('The model did not search the web.'));
        pages.forEach(({url, label}) => {
            const link = new Gtk.LinkButton({uri: url, label: visible(label), halign: Gtk.Align.START});
            link.add_css_class('source');
            link.get_child().ellipsize = 3;
            this._sources.append(link);
        });
        this.emit('grown');
    }

    _note(label) {
        this._sources.visible = true;
        this._sources.append(new Gtk.Label({label, xalign: 0, wrap: true, cssClasses: ['caption', 'dim-label']}));
    }

    /** Ends the answer with an error. */
    fail(failure) {
        if (failure.details?.partial_text && this.text === '')
            this.append_text(failure.details.partial_text);
        this._end();
        const row = new Gtk.Box({spacing: 8, cssClasses: ['failure', 'card'], accessibleRole: Gtk.AccessibleRole.ALERT});
        const isCancelled = failure.code === 'Cancelled';
        row.append(new Gtk.Image({iconName: isCancelled ? 'media-playback-stop-symbolic' : 'dialog-warning-symbolic'}));
        row.append(new Gtk.Label({
            label: isCancelled ? _('Stopped.') : failure.message, wrap: true, xalign: 0, hexpand: true, selectable: true,
        }));
        const signIn = ['MissingCredential', 'MissingRefreshToken', 'ReauthenticationRequired'].includes(failure.code);
        const button = new Gtk.Button({
            label: signIn ? _('Sign in') : _('Try again'), valign: Gtk.Align.CENTER, visible: true,
        });
        button.connect('clicked', () => this.emit(signIn ? 'sign-in' : 'retry'));
        row.append(button);
        this.insert_child_after(row, this._tools);
        this.emit('grown');
    }

    _end() {
        this._answer.end();
        this._spinner.spinning = false;
        this._waiting.visible = false;
        this._foot.visible = this.text !== '';
    }

    /** Whether it is the last answer, and has ended. */
    set isLast(isLast) {
        this._again.visible = isLast;
    }
});
