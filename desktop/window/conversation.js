// SPDX-License-Identifier: Apache-2.0
// A conversation: the earlier messages, the streamed answer, and the input for the next question.
import GLib from 'gi://GLib';
import GObject from 'gi://GObject';
import Adw from 'gi://Adw?version=1';
import Gtk from 'gi://Gtk?version=4.0';

import {Choices} from '../shared/choices.js';
import {Failure} from '../shared/service.js';
import {storedDocuments} from './attachments.js';
import {Composer} from './composer.js';
import {Greeting} from './greeting.js';
import {Question, Reply} from './message.js';
import {openTurn} from './turn.js';

export const Conversation = GObject.registerClass({
    GTypeName: 'ChappieConversation',
    Properties: {
        running: GObject.ParamSpec.boolean('running', '', '', GObject.ParamFlags.READWRITE, false),
    },
    Signals: {
        // A turn has reached the servers, or failed with a network error: the argument says which.
        reached: {param_types: [GObject.TYPE_BOOLEAN]},
        // A turn has ended, successfully or not.
        answered: {},
        'thread-created': {param_types: [GObject.TYPE_STRING]},
        'sign-in': {},
        problem: {param_types: [GObject.TYPE_STRING]},
    },
}, class Conversation extends Gtk.Box {
    /** `thread` is null for a new conversation, whose thread is created with the first question. */
    constructor(service, thread = null) {
        super({orientation: Gtk.Orientation.VERTICAL, vexpand: true});
        this._service = service;
        this.thread = thread;
        this._client = null;
        // The last question, its text as it was sent, and its answer.
        this._last = null;
        this._messages = new Gtk.Box({orientation: Gtk.Orientation.VERTICAL, spacing: 18, cssClasses: ['messages']});
        this._composer = new Composer(service);
        this._greeting = new Greeting(text => this._composer.propose(text));
        const content = new Gtk.Box({orientation: Gtk.Orientation.VERTICAL});
        [this._greeting, this._messages].forEach(child => content.append(child));
        this._scroller = new Gtk.ScrolledWindow({
            vexpand: true, hscrollbarPolicy: Gtk.PolicyType.NEVER,
            child: new Adw.Clamp({child: content, maximumSize: 760}),
        });
        this._composer.connect('send', () => this._submit());
        this._composer.connect('stop', () => this.stop());
        this._composer.connect('problem', (_composer, message) => this.emit('problem', message));
        this.connect('notify::running', () => {
            this._composer.running = this.running;
        });
        this.add_controller(this._composer.target());
        this.append(this._scroller);
        this.append(new Adw.Clamp({child: this._composer, maximumSize: 760}));
        this._follow();
    }

    vfunc_grab_focus() {
        return this._composer.grab_focus();
    }

    get greeting() {
        return this._greeting;
    }

    get composer() {
        return this._composer;
    }

    /** Asks, and shows the streamed answer. */
    async ask(text, attached = []) {
        if (this.running)
            return;
        this.running = true;
        this._atEnd = true;
        const question = this._showQuestion(text, attached);
        const reply = this._showReply(question, text);
        try {
            this._turn = await this._open();
            this.emit('reached', true);
            if (this._stopped)
                this._turn.cancel();
            await reply.follow(this._turn, text, attached);
        } catch (error) {
            const failure = Failure.of(error);
            reply.fail(failure);
            if (failure.code === 'Network')
                this.emit('reached', false);
        } finally {
            this._turn = null;
            this._stopped = false;
            this.running = false;
            this._showLast(true);
            this.emit('answered');
        }
    }

    stop() {
        if (!this.running)
            return;
        this._stopped = true;
        this._turn?.cancel();
    }

    /** Shows the stored turns of a thread, in the JSON of `Threads.Get`. */
    load(json) {
        let choices = new Choices();
        for (const {events} of JSON.parse(json).turns) {
            let [question, asked, reply] = [null, '', null];
            for (const event of events) {
                if (event.kind === 'input') {
                    const {text, images = [], files, options} = event.message;
                    question = this._showQuestion(text, [
                        ...images.map(({url}, at) => ({name: `${at + 1}`, texture: null, address: url})),
                        ...storedDocuments(files),
                    ]);
                    asked = text;
                    choices = Choices.of(options);
                    reply = null;
                } else if (['output', 'tool-call', 'error'].includes(event.kind)) {
                    reply ??= this._showReply(question, asked);
                    if (event.kind === 'output')
                        reply.append_text(event.text), reply.model = event.model;
                    else if (event.kind === 'error')
                        reply.failure = new Failure(event.name, event.message);
                }
                if (reply && event === events.at(-1)) {
                    if (reply.failure)
                        reply.fail(reply.failure);
                    else
                        reply.complete(null, reply.model);
                    reply.isStored = true;
                    reply.cite({citations: events.find(({kind}) => kind === 'citations')?.citations});
                }
            }
        }
        this._atEnd = true;
        this._scroll();
        this._showLast(true);
        this._composer.choices.set_choices(choices);
    }

    async _open() {
        if (this.thread === null && this._client === null) {
            ({thread: this.thread, client: this._client} = await this._service.openConversation());
            if (this.thread !== null)
                this.emit('thread-created', this.thread);
        }
        return openTurn(this._service,
            {thread: this.thread, client: this._client, options: this._composer.choices.value.options});
    }

    async _submit() {
        if (this._composer.editing && !await this._removeLast())
            return;
        const {text, attached} = this._composer.take();
        this.ask(text, attached);
    }

    /** Removes the last question and its answer, and returns whether it could. */
    async _removeLast() {
        const {question, text, reply} = this._last;
        this.running = true;
        try {
            // A turn that has failed just now may not be stored, and the model does not read it.
            if (reply.isStored && this.thread !== null)
                await this._service.call('Threads', 'UndoTurn', '(sa{sv})', [this.thread, {text: new GLib.Variant('s', text)}]);
            else if (reply.isStored)
                await this._service.call('Client', 'UndoTurn', '()', [], {path: this._client});
            [question, reply].filter(widget => widget).forEach(widget => this._messages.remove(widget));
            this._last = null;
            this._composer.grab_focus();
            return true;
        } catch (failure) {
            this.emit('problem', failure.message);
            return false;
        } finally {
            this.running = this._stopped = false;
        }
    }

    _showQuestion(text, attached) {
        const question = new Question(text, attached);
        question.connect('edit', () => {
            if (this._composer.propose(question.parts.text, [...attached, ...question.parts.files]))
                this._composer.editing = true;
        });
        this._greeting.visible = false;
        this._messages.append(question);
        return question;
    }

    /** Shows the answer of a question; null, where a damaged thread has lost it. */
    _showReply(question, text) {
        const reply = new Reply();
        reply.connect('sign-in', () => this.emit('sign-in'));
        const again = async () => {
            if (this.running)
                return;
            // An earlier answer that failed stays where it is.
            if (this._last?.reply !== reply || await this._removeLast())
                this.ask(text, question?.parts.attached);
        };
        ['retry', 'again'].forEach(signal => reply.connect(signal, again));
        this._messages.append(reply);
        this._showLast(false);
        this._composer.editing = false;
        this._last = {question, text, reply};
        return reply;
    }

    // Only the last question can be edited, and asked again.
    _showLast(isLast) {
        [this._last?.question, this._last?.reply].filter(widget => widget).forEach(widget => (widget.isLast = isLast));
    }

    // Keeps the view at the end while the answer grows, unless the user has scrolled up.
    _follow() {
        const place = this._scroller.vadjustment;
        this._atEnd = true;
        let last = 0;
        place.connect('value-changed', () => {
            const isAtEnd = place.value >= place.upper - place.pageSize - 40;
            // A layout changes the value too, and not always to the end.
            if (isAtEnd || place.value < last)
                this._atEnd = isAtEnd;
            last = place.value;
        });
        // The notification comes within a layout, which would not show another place.
        let waiting = 0;
        place.connect('notify::upper', () => {
            waiting ||= GLib.idle_add(GLib.PRIORITY_DEFAULT, () => {
                waiting = 0;
                if (this._atEnd)
                    this._scroll();
                return GLib.SOURCE_REMOVE;
            });
        });
    }

    _scroll() {
        const place = this._scroller.vadjustment;
        place.value = place.upper - place.pageSize;
        this._atEnd = true;
    }
});
