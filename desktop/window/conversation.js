// SPDX-License-Identifier: Apache-2.0
// A conversation: the earlier messages, the streamed answer, and the input for the next question.
import GLib from 'gi://GLib';
import GObject from 'gi://GObject';
import Adw from 'gi://Adw?version=1';
import Gtk from 'gi://Gtk?version=4.0';

import {Approval} from './approval.js';
import {Failure} from './bus.js';
import {Composer} from './composer.js';
import {Question, Reply} from './message.js';
import {Turn} from './turn.js';

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
        this._messages = new Gtk.Box({orientation: Gtk.Orientation.VERTICAL, spacing: 18, cssClasses: ['messages']});
        this._scroller = new Gtk.ScrolledWindow({
            vexpand: true, hscrollbarPolicy: Gtk.PolicyType.NEVER,
            child: new Adw.Clamp({child: this._messages, maximumSize: 760}),
        });
        this._composer = new Composer();
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

    get composer() {
        return this._composer;
    }

    /** Asks, and shows the streamed answer. */
    async ask(text, pictures = []) {
        if (this.running)
            return;
        this.running = true;
        this._atEnd = true;
        const question = new Question(text, pictures);
        const reply = new Reply();
        this._show(question);
        this._show(reply);
        reply.connect('sign-in', () => this.emit('sign-in'));
        reply.connect('retry', () => {
            if (this.running)
                return;
            [question, reply].forEach(widget => this._messages.remove(widget));
            this.ask(text, pictures);
        });
        try {
            this._turn = await this._open();
            this.emit('reached', true);
            if (this._stopped)
                this._turn.cancel();
            for await (const event of this._turn.ask(text, pictures.map(({address}) => address)))
                this._take(event, reply);
        } catch (error) {
            const failure = Failure.of(error);
            if (failure.details?.partial_text && reply.text === '')
                reply.append_text(failure.details.partial_text);
            reply.fail(failure);
            if (failure.code === 'Network')
                this.emit('reached', false);
        } finally {
            this._turn = null;
            this._stopped = false;
            this.running = false;
            this.emit('answered');
        }
    }

    stop() {
        this._stopped = true;
        this._turn?.cancel();
    }

    /** Shows the stored turns of a thread, in the JSON of `Threads.Get`. */
    load(json) {
        for (const {events} of JSON.parse(json).turns) {
            let reply = null;
            for (const event of events) {
                if (event.kind === 'input') {
                    const {text, images = []} = event.message;
                    this._show(new Question(text, images.map((_image, at) => ({name: `${at + 1}`, texture: null}))));
                    reply = null;
                } else if (['output', 'tool-call', 'error'].includes(event.kind)) {
                    reply ??= this._show(new Reply());
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
                }
            }
        }
        this._atEnd = true;
        this._scroll();
    }

    async _open() {
        if (this.thread === null && this._client === null) {
            try {
                [this.thread] = await this._service.call('Threads', 'Create', '(a{sv})', [{}]);
                this.emit('thread-created', this.thread);
            } catch (error) {
                if (!error.isUnsupported)
                    throw error;
                // The service stores no threads: the conversation lasts as long as this window.
                const account = this._service.get('Session', 'Configuration')?.keychain_account;
                [this._client] = await this._service.call('Manager', 'OpenClient', '(a{sv})',
                    [account ? {keychain_account: new GLib.Variant('s', account)} : {}], {path: '/org/chappie'});
            }
        }
        return Turn.open(this._service, {thread: this.thread, client: this._client});
    }

    _take(event, reply) {
        switch (event.event) {
        case 'text-delta':
            reply.append_text(event.text);
            break;
        case 'approval-requested': {
            const {call} = event;
            const card = new Approval({tool: event.name, text: event.arguments, problem: event.message});
            const turn = this._turn;
            card.connect('answered', (_card, approved) => turn.approve(call, approved));
            reply.add_tool(card);
            break;
        }
        case 'completed':
            reply.complete(event.text, event.model);
            break;
        }
    }

    _submit() {
        const {text, pictures} = this._composer.take();
        this.ask(text, pictures);
    }

    _show(message) {
        this._messages.append(message);
        return message;
    }

    // Keeps the view at the end while the answer grows, unless the user has scrolled up.
    _follow() {
        const place = this._scroller.vadjustment;
        this._atEnd = true;
        place.connect('value-changed', () => {
            this._atEnd = place.value >= place.upper - place.pageSize - 40;
        });
        place.connect('notify::upper', () => {
            if (this._atEnd)
                this._scroll();
        });
    }

    _scroll() {
        const place = this._scroller.vadjustment;
        place.value = place.upper - place.pageSize;
        this._atEnd = true;
    }
});
