// SPDX-License-Identifier: Apache-2.0
// The window: a conversation beside the list of conversations, or the page of a state.
import Adw from 'gi://Adw?version=1';
import GLib from 'gi://GLib';
import GObject from 'gi://GObject';
import Gio from 'gi://Gio';
import Gtk from 'gi://Gtk?version=4.0';

import {Account} from './account.js';
import {Conversation} from './conversation.js';
import {menuButton} from './menu.js';
import {Notice} from './notice.js';
import {SignIn} from './sign-in.js';
import {StatePage, isShown, stateOf} from './states.js';
import {confirm, rename} from './dialogs.js';
import {markdownOf, saveText} from './export.js';
import {Threads} from './threads.js';
import {leaveState} from '../shared/states.js';
import {_, fill} from '../shared/text.js';
import {iconButton, showPage} from './widgets.js';

export const Window = GObject.registerClass({
    GTypeName: 'ChappieWindow',
    Signals: {
        // An answer has ended. The argument is its thread, or an empty string.
        answered: {param_types: [GObject.TYPE_STRING]},
    },
}, class Window extends Adw.ApplicationWindow {
    constructor(application, service) {
        super({application, title: 'Chappie', defaultWidth: 920, defaultHeight: 640, iconName: 'org.chappie'});
        this.set_size_request(320, 360);
        this._service = service;
        this._conversations = new Map();  // By thread: those with a running turn, and the shown one.
        this._build();
        this._addActions();
        service.connect('changed', () => this._follow());
        service.connect('thread-changed', (_service, thread, change) => {
            if (change === 'deleted' && this._shown?.thread === thread)
                this.show_thread(null);
        });
        this.connect('notify::is-active', () => {
            if (this.isActive && this._state === 'ready')
                this._account?.refresh();
            this._copyCode();
        });
        this.show_thread(null);
        this._follow();
    }

    _build() {
        this._threads = new Threads(this._service);
        this._threads.connect('opened', (_threads, thread) => this.show_thread(thread));
        this._threads.connect('problem', (_threads, message) => this.tell(message));

        const sideHeader = new Adw.HeaderBar({showEndTitleButtons: false});
        sideHeader.titleWidget = new Adw.WindowTitle({title: _('Conversations')});
        sideHeader.pack_start(iconButton('list-add-symbolic', _('New conversation'), {actionName: 'win.new'}));
        this._side = new Gtk.Box({orientation: Gtk.Orientation.VERTICAL, widthRequest: 260, hexpand: false});
        this._side.append(sideHeader);
        this._side.append(this._threads);

        this._title = new Adw.WindowTitle({title: _('New conversation')});
        const header = new Adw.HeaderBar({titleWidget: this._title, hexpand: true});
        this._back = iconButton('go-previous-symbolic', _('Conversations'), {
            act: () => this._leaflet.navigate(Adw.NavigationDirection.BACK),
        });
        header.pack_start(this._back);
        header.pack_end(menuButton());

        this._notice = new Notice(this._service);
        this._notice.connect('told', (_notice, message) => this.tell(message));
        this._notice.connect('allow-plan-use', () =>
            this._signIn.startInBrowser({enable_plan_use: new GLib.Variant('b', true)}));
        this._pages = new Gtk.Stack({vexpand: true});
        this._statePage = new StatePage();
        this._statePage.connect('acted', () => leaveState(this._state, this._service).catch(error => this.tell(error.message)));
        this._signIn = new SignIn(this._service);
        this._signIn.connect('problem', (_signIn, message) => this.tell(message));
        this._signIn.connect('copied', (_signIn, code) => this.copy_code(code));
        this._stack = new Gtk.Stack({vexpand: true});
        [this._statePage, this._signIn, this._stack].forEach(page => this._pages.add_child(page));
        const content = new Gtk.Box({orientation: Gtk.Orientation.VERTICAL, hexpand: true, widthRequest: 320});
        [header, this._notice, this._pages].forEach(child => content.append(child));

        this._leaflet = new Adw.Leaflet({canNavigateBack: true, canUnfold: true});
        this._leaflet.append(this._side);
        this._leaflet.append(new Gtk.Separator({orientation: Gtk.Orientation.VERTICAL})).set_navigatable(false);
        this._leaflet.append(content);
        this._leaflet.set_visible_child(content);
        this._content = content;
        this._leaflet.bind_property('folded', this._back, 'visible', GObject.BindingFlags.SYNC_CREATE);
        this._leaflet.bind_property('folded', sideHeader, 'show-end-title-buttons', GObject.BindingFlags.SYNC_CREATE);
        this._toasts = new Adw.ToastOverlay({child: this._leaflet});
        this.content = this._toasts;
    }

    _addActions() {
        const add = (name, activate) => {
            const action = new Gio.SimpleAction({name});
            action.connect('activate', activate);
            this.add_action(action);
            return action;
        };
        this._threadActions = [
            add('rename', () => rename(this, this._threads.title(this._shown.thread),
                title => this._thread('Rename', '(ss)', title))),
            add('export', () => this._export()),
            add('delete', () => confirm(this, _('Delete this conversation?'), _('It cannot be brought back.'), _('Delete'),
                () => this._thread('Delete', '(s)'))),
        ];
        this._archive = add('archive', () => this._thread('Archive', '(s)'));
        this._unarchive = add('unarchive', () => this._thread('Unarchive', '(s)'));
        this._readyActions = [
            add('new', () => this.show_thread(null)),
            add('search', () => this.search(this._threads.search.text)),
            add('attach', () => this._shown.composer.choose()),
            add('approvals', () => this._openAccount('approvals')),
        ];
        this._stop = add('stop', () => this._shown.stop());
        add('account', () => this._openAccount('account'));
        add('refresh', () => this._service.refresh());
        add('sign-out', () => confirm(this, _('Sign out?'), _('The programs of this desktop can then no longer ask with this account.'),
            _('Sign out'), async () => {
                await this._service.call('Session', 'SignOut', '()', [], {interactive: true, timeout: 30000})
                    .catch(error => this.tell(error.message));
            }));
        const archived = new Gio.SimpleAction({name: 'archived', state: GLib.Variant.new_boolean(false)});
        archived.connect('change-state', (action, value) => {
            action.set_state(value);
            this._threads.archived = value.unpack();
            this._leaflet.set_visible_child(this._side);
        });
        this.add_action(archived);
    }

    /** Shows a message as a toast. */
    tell(message) {
        const toast = new Adw.Toast({title: GLib.markup_escape_text(message, -1)});
        this._toasts.add_toast(toast);
    }

    /** Shows a stored conversation; null shows a new one. */
    async show_thread(thread) {
        this._leaflet.set_visible_child(this._content);
        let conversation = this._conversations.get(thread);
        if (!conversation) {
            conversation = this._add(thread);
            if (thread !== null) {
                try {
                    const [json] = await this._service.call('Threads', 'Get', '(s)', [thread]);
                    conversation.load(json);
                } catch (error) {
                    this.tell(error.message);
                }
            }
        }
        this._shown = conversation;
        showPage(this._stack, conversation);
        for (const [key, other] of this._conversations) {
            if (other !== conversation && !other.running) {
                this._conversations.delete(key);
                this._stack.remove(other);
            }
        }
        this._showTitle();
        if (this._state === 'ready')
            conversation.grab_focus();
    }

    /** Asks in a new conversation. */
    async ask(text) {
        if (this._state !== 'ready') {
            this._question = text;
            return;
        }
        await this.show_thread(null);
        await this._shown.ask(text);
    }

    /** Adds files to a question in a new conversation. */
    async attach(files) {
        if (this._state !== 'ready') {
            this._files = [...this._files ?? [], ...files];
            return;
        }
        try {
            await this.show_thread(null);
            this._shown.composer.add(files);
        } catch (error) {
            this.tell(error.message);
        }
    }

    /** Searches the conversations for a text. */
    search(text) {
        this._threads.search.text = text;
        this._leaflet.set_visible_child(this._side);
        this._threads.search.grab_focus();
    }

    /** Starts a sign-in, unless the user is signed in. */
    sign_in() {
        if (this._state === 'sign-in')
            this._signIn.start();
        else
            this._wantsSignIn = true;
    }

    /** Copies the code of a sign-in, for the notification's button. */
    copy_code(code) {
        this._copied = code;
        this._copyCode();
    }

    // On Wayland only a focused window can set the clipboard.
    _copyCode() {
        if (!this._copied || !this.isActive)
            return;
        this.get_clipboard().set(this._copied);
        this.tell(this._copied.startsWith('http') ? _('The address was copied.') : _('The code was copied.'));
        this._copied = null;
    }

    _add(thread) {
        const conversation = new Conversation(this._service, thread);
        this._conversations.set(thread, conversation);
        this._stack.add_child(conversation);
        this._threads.bind_property('visible', conversation.greeting.storage, 'visible', GObject.BindingFlags.SYNC_CREATE);
        conversation.connect('problem', (_conversation, message) => this.tell(message));
        conversation.connect('sign-in', () => this._signIn.start());
        conversation.connect('reached', (_conversation, reached) => this._notice.show_reached(reached));
        conversation.connect('notify::running', () => this._showRunning());
        conversation.connect('answered', () => this.emit('answered', conversation.thread ?? ''));
        conversation.connect('thread-created', () => {
            this._conversations.delete(null);
            this._conversations.set(conversation.thread, conversation);
            this._showTitle();
        });
        return conversation;
    }

    _showTitle() {
        const thread = this._shown?.thread ?? null;
        this._threads.select(thread);
        this._title.title = !isShown(this._state) ? 'Chappie' : this._threads.title(thread) || _('New conversation');
        const email = this._service.get('Session', 'AccountInfo')?.email;
        this._title.subtitle = this._state === 'ready' ? email ?? '' : '';
        const canChange = this._state === 'ready' && thread !== null;
        this._threadActions.forEach(action => (action.enabled = canChange));
        this._archive.enabled = canChange && !this._threads.archived;
        this._unarchive.enabled = canChange && this._threads.archived;
        this._readyActions.forEach(action => (action.enabled = this._state === 'ready'));
        this._showRunning();
    }

    _showRunning() {
        this._stop.enabled = this._shown?.running ?? false;
    }

    async _thread(method, signature, ...values) {
        try {
            await this._service.call('Threads', method, signature, [this._shown.thread, ...values], {interactive: true});
            if (method === 'Archive' || method === 'Unarchive')
                await this.show_thread(null);
        } catch (error) {
            this.tell(error.message);
        }
    }

    async _export() {
        const {thread} = this._shown;
        try {
            const [json] = await this._service.call('Threads', 'Get', '(s)', [thread]);
            await saveText(this, this._threads.title(thread), markdownOf(json));
        } catch (error) {
            this.tell(error.message);
        }
    }

    async _follow() {
        const before = this._state;
        const isOtherAccount = this._path !== this._service.path;
        this._path = this._service.path;
        const was = isOtherAccount ? null : before;
        const state = this._state = stateOf(this._service, was);
        if (isShown(before) && (isOtherAccount || !isShown(state))) {
            this._threads.clear();
            this._leaflet.set_visible_child(this._content);
        }
        if (isShown(before) && isOtherAccount)
            this.show_thread(null);
        this._showPage(state);
        this._notice.follow(state, was);
        if (state !== 'ready' && this._side.sensitive)
            this.set_focus(null);  // GTK warns if a focused entry becomes insensitive.
        this._side.sensitive = state === 'ready';
        if (was !== state && state === 'ready') {
            this._threads.reload().then(() => this._showTitle());
            this._shown?.grab_focus();
        }
        if (before === 'ready' && state !== 'ready')
            this._account?.close();
        if (state === 'ready' && was === 'sign-in')
            this._greet();
        this._showTitle();
        if (state === 'sign-in' && this._wantsSignIn)
            this._signIn.start();
        this._wantsSignIn = this._wantsSignIn && state === 'starting';
        if (state === 'ready' && this._question) {
            const question = this._question;
            this._question = null;
            await this.ask(question);
        }
        if (state === 'ready' && this._files) {
            const files = this._files;
            this._files = null;
            await this.attach(files);
        }
    }

    // After a sign-in.
    _greet() {
        const {email} = this._service.get('Session', 'AccountInfo') ?? {};
        if (email)
            this.tell(fill(_('You are signed in as %s.'), email));
        if (this._service.get('Session', 'PlanUse') === 'enabled')
            this.tell(_('You’re using your ChatGPT plan.'));
    }

    _showPage(state) {
        if (isShown(state)) {
            showPage(this._pages, this._stack);
        } else if (state === 'sign-in') {
            showPage(this._pages, this._signIn);
        } else {
            this._statePage.show_state(state, this._service);
            showPage(this._pages, this._statePage);
        }
    }

    _openAccount(page) {
        this._account ??= new Account(this, this._service);
        this._account.open(page);
    }
});
