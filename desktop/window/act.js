// SPDX-License-Identifier: Apache-2.0
// The small window that acts on the selected text: what will be sent, the list of actions, and the answer.
import Adw from 'gi://Adw?version=1';
import Gdk from 'gi://Gdk?version=4.0';
import GObject from 'gi://GObject';
import Gtk from 'gi://Gtk?version=4.0';

import {Failure} from '../shared/service.js';
import {leaveState} from '../shared/states.js';
import {_, fill, head, replacement, visible} from '../shared/text.js';
import {actionOptions} from '../shared/turn.js';
import {Reply} from './message.js';
import {wayBack} from './paste.js';
import {Selection} from './selection.js';
import {SignIn} from './sign-in.js';
import {StatePage, isShown, stateOf} from './states.js';
import {openTurn} from './turn.js';
import {named, showPage, takeApart} from './widgets.js';

const WIDTH = 420;
// Until the list is there: compositors place the window by its first height.
const FIRST_HEIGHT = 320;
// Characters of the text that are shown.
const PREVIEW = 300;

function actionRow({title, description}, index) {
    const row = new Gtk.Box({spacing: 12, cssClasses: ['action']});
    const key = index < 9 ? `${index + 1}` : '';
    row.append(new Gtk.Label({label: key, widthChars: 2, cssClasses: ['dim-label', 'numeric']}));
    const texts = new Gtk.Box({orientation: Gtk.Orientation.VERTICAL});
    const add = (text, cssClasses) =>
        texts.append(new Gtk.Label({label: visible(text), xalign: 0, ellipsize: 3, cssClasses}));
    add(title, []);
    if (description)
        add(description, ['caption', 'dim-label']);
    row.append(texts);
    return named(new Gtk.ListBoxRow({child: row}), visible(title));
}

export const ActWindow = GObject.registerClass({
    GTypeName: 'ChappieActWindow',
}, class ActWindow extends Adw.ApplicationWindow {
    /**
     * `name` is the action, or empty for the list. `isSecret` resolves with whether the focus is in a password field,
     * before which the window may not be shown; `focused` resolves with the window of the program with the text, or
     * null.
     */
    constructor(application, service, {name, isSecret, focused}) {
        super({application, title: 'Chappie', resizable: false, iconName: 'org.chappie'});
        this.add_css_class('act');
        this._service = service;
        this._name = name;
        this._isSecret = isSecret;
        this._focused = focused;
        this._way = null;
        this._selection = new Selection();
        this._turns = Promise.resolve();  // The turns, one after the other.
        /** Resolves when the window is closed: with the `thread` to show, or the `text` and its `way` back. */
        this.closed = new Promise(resolve => this.connect('close-request', () => {
            this._outcome ??= {};
            this._service.disconnect(follow);
            this._turn?.cancel();
            if (!this._outcome.text)
                this._way?.close();
            if (!this._outcome.thread)
                this._turns = this._turns.then(() => this._discard());
            this._turns.then(() => {
                this.remove_controller(this._keys);
                this.content = null;
                takeApart(this._pages);
                resolve(this._outcome);
            });
            return false;
        }));
        this._build();
        const follow = service.connect('changed', () => this._follow());
        this._follow();
    }

    _build() {
        this._preview = new Gtk.Label({
            label: _('Reading the selected text…'), wrap: true, wrapMode: 2, lines: 3, ellipsize: 3, xalign: 0,
            cssClasses: ['dim-label'],
        });
        this._list = named(new Gtk.ListBox({cssClasses: ['navigation-sidebar'], visible: false}), _('Actions'));
        this._list.connect('row-activated', (_list, row) => this._start(this._actions[row.get_index()]));
        this._answer = new Gtk.ScrolledWindow({
            hscrollbarPolicy: Gtk.PolicyType.NEVER, propagateNaturalHeight: true, maxContentHeight: 360, visible: false,
        });
        this._sentence = new Gtk.Label({
            wrap: true, xalign: 0, visible: false, accessibleRole: Gtk.AccessibleRole.ALERT,
        });
        this._buttons = new Gtk.Box({spacing: 6, halign: Gtk.Align.END, visible: false});
        const button = (label, act, ...cssClasses) => {
            const made = new Gtk.Button({label, cssClasses});
            made.connect('clicked', act);
            this._buttons.append(made);
            return made;
        };
        this._stop = button(_('Stop'), () => {
            this._isStopped = true;
            this._turn?.cancel();
        });
        this._copy = button(_('Copy'), () => this._copyAnswer());
        this._replace = button(_('Replace'), () => this._leaveToReplace(), 'suggested-action');
        this._continue = button(_('Continue in the window'), () => this._leave({thread: this._conversation.thread}));

        this._content = new Gtk.Box({
            orientation: Gtk.Orientation.VERTICAL, spacing: 12, cssClasses: ['content'], heightRequest: FIRST_HEIGHT,
        });
        const list = new Gtk.ScrolledWindow({
            child: this._list, hscrollbarPolicy: Gtk.PolicyType.NEVER, propagateNaturalHeight: true, maxContentHeight: 480,
        });
        this._list.bind_property('visible', list, 'visible', GObject.BindingFlags.SYNC_CREATE);
        [this._preview, list, this._answer, this._sentence, this._buttons].forEach(part =>
            this._content.append(part));
        this._pages = new Gtk.Stack({vhomogeneous: false});
        this._pages.add_child(this._content);
        this.content = new Gtk.WindowHandle({child: new Adw.Clamp({
            child: this._pages, maximumSize: WIDTH, tighteningThreshold: WIDTH, widthRequest: WIDTH,
        })});

        this._keys = new Gtk.EventControllerKey({propagationPhase: Gtk.PropagationPhase.CAPTURE});
        this._keys.connect('key-pressed', (_keys, symbol) => this._press(symbol));
        this.add_controller(this._keys);
    }

    _press(symbol) {
        const place = symbol >= Gdk.KEY_KP_1 && symbol <= Gdk.KEY_KP_9 ? symbol - Gdk.KEY_KP_1 : symbol - Gdk.KEY_1;
        if (symbol === Gdk.KEY_Escape)
            this.close();
        else if (this._list.visible && place >= 0 && place < 9 && this._actions[place])
            this._start(this._actions[place]);
        else
            return false;
        return true;
    }

    _follow() {
        const state = this._state = stateOf(this._service, this._state);
        if (isShown(state) || state === 'starting') {
            showPage(this._pages, this._content);
            if (state === 'ready' && !this._begun)
                this._begin();
        } else if (state === 'sign-in') {
            this._showSignIn();
        } else {
            this._showState(state);
        }
    }

    // The pages of the sign-in and of other states are made when they are needed.
    _showState(state) {
        if (!this._statePage) {
            this._statePage = new StatePage();
            this._statePage.connect('acted', () =>
                leaveState(this._state, this._service).catch(error => this._tell(error.message)));
            this._pages.add_child(this._statePage);
        }
        this._statePage.show_state(state, this._service);
        showPage(this._pages, this._statePage);
    }

    _showSignIn() {
        if (!this._signIn) {
            this._signIn = new SignIn(this._service);
            this._signIn.connect('problem', (_signIn, message) => this._tell(message));
            this._signIn.connect('copied', (_signIn, text) => this.get_clipboard().set(text));
            this._pages.add_child(this._signIn);
        }
        showPage(this._pages, this._signIn);
    }

    /** Reads the text and the actions, as soon as a question can be asked. */
    async _begin() {
        this._begun = true;
        try {
            const [[actions], text] = await Promise.all([
                this._service.call('Manager', 'ListActions', '(a{sv})', [{}]), this._read(),
            ]);
            if (this._outcome)
                return;
            this._actions = actions;
            this._text = text;
            this._preview.label = visible(head(text.trim(), PREVIEW));
            const action = this._name && actions.find(({name}) => name === this._name);
            if (this._name && !action)
                throw new Error(fill(_('There is no action “%s”.'), visible(this._name)));
            if (action)
                this._start(action);
            else
                this._showList();
        } catch (error) {
            this._tell(error.message);
        }
        this._content.heightRequest = -1;
    }

    async _read() {
        if (await this._isSecret)
            throw new Error(_('The focus is in a password field, whose text Chappie does not read.'));
        return this._selection.read(this);
    }

    _showList() {
        this._actions.map(actionRow).forEach(row => this._list.append(row));
        this._list.visible = true;
        this._list.select_row(this._list.get_row_at_index(0));
        this._list.get_row_at_index(0)?.grab_focus();
    }

    _tell(message) {
        if (this._outcome)
            return;
        this._preview.visible = this._text !== undefined;
        this._sentence.label = message;
        this._sentence.visible = true;
        showPage(this._pages, this._content);
    }

    _start(action) {
        this._list.visible = false;
        const reply = this._reply = new Reply({hasButtons: false});
        reply.connect('retry', () => this._start(action));
        reply.connect('sign-in', () => {
            this._showSignIn();
            this._signIn.start();
        });
        this._answer.child = reply;
        this._answer.visible = this._buttons.visible = true;
        [this._copy, this._replace, this._continue].forEach(button => (button.visible = false));
        this._stop.visible = true;
        this._isStopped = false;
        this._turns = this._turns.then(() => this._discard()).then(() => this._ask(action, reply));
    }

    async _ask(action, reply) {
        try {
            this._conversation = await this._service.openConversation();
            this._turn = await openTurn(this._service, {...this._conversation, options: actionOptions(action)});
            if (this._outcome || this._isStopped) {
                this._turn.close();
                if (this._outcome)
                    return;
                throw new Failure('Cancelled', '');
            }
            const way = this._focused.then(focused => focused && wayBack(focused));
            await reply.follow(this._turn, action.question.join(this._text));
            this._way = await way;
            this._complete(action);
        } catch (error) {
            reply.fail(Failure.of(error));
            this._buttons.visible = false;
        } finally {
            this._turn = null;
            this._stop.visible = false;
        }
    }

    get _replacement() {
        return replacement(this._reply.text, this._text, this._way.isTerminal);
    }

    _complete({replace}) {
        if (this._outcome)
            return;
        const canReplace = this._way !== null && replace !== 'never' && this._reply.text !== '';
        // A terminal could run a line.
        const mayRun = canReplace && this._way.isTerminal && this._replacement.includes('\n');
        if (canReplace && replace === 'at-once' && !mayRun && this._service.state === 'ready') {
            this._leaveToReplace();
            return;
        }
        this._copy.visible = true;
        this._replace.visible = canReplace;
        this._continue.visible = this._conversation.thread !== null;
        (canReplace ? this._replace : this._copy).grab_focus();
    }

    async _leaveToReplace() {
        const way = this._way;
        this._buttons.sensitive = false;
        try {
            await way.prepare();
        } catch (error) {
            this._way = null;
            this._tell(error.message);
        }
        this._buttons.sensitive = true;
        if (this._way && !this._outcome && isShown(stateOf(this._service, this._state))) {
            this._leave({text: this._replacement, way});
            return;
        }
        way.close();
        // The keys must not reach a screen that was locked meanwhile.
        this._complete({replace: 'offer'});
    }

    _copyAnswer() {
        this.application.copy(this._reply.text);
        this._copy.label = _('Copied');
    }

    _leave(outcome) {
        this._outcome = outcome;
        this.close();
    }

    /** Deletes the thread of the turn that has ended. */
    async _discard() {
        const {thread, client} = this._conversation ?? {};
        this._conversation = null;
        if (thread)
            await this._service.call('Threads', 'Delete', '(s)', [thread]).catch(() => {});
        else if (client)
            await this._service.call('Manager', 'Close', '(o)', [client]).catch(() => {});
    }
});
