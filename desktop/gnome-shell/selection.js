// SPDX-License-Identifier: Apache-2.0
// Actions on the text that is selected in any program: a popup by the pointer, with the actions and then the answer.
import Clutter from 'gi://Clutter';
import Meta from 'gi://Meta';
import Shell from 'gi://Shell';
import St from 'gi://St';

import {Answer} from './answer.js';
import {Clipboard} from './clipboard.js';
import {Target, released} from './paste.js';
import {Failure} from './shared/service.js';
import {_, fill, head, visible} from './shared/text.js';
import {actionOptions} from './shared/turn.js';
import {align, button, column, copy, hasWindow, label, openWindow, reveal, row, scroller} from './widgets.js';

// Keybinding names are global in the shell.
const SHORTCUT = 'act-on-selection';
// The number of characters, and of lines, of the selected text that show.
const SHOWN_LENGTH = 300;
const SHOWN_LINES = 5;
// Milliseconds in which the actions can show with the popup. Later they follow: the service may have to start.
const LISTING_TIME = 60;
// The hardware code of the key 1. Some layouts have the digits with Shift only.
const KEY_CODE_1 = 10;

export class Selection {
    /** `Main`, `PopupMenu` and `Keyboard` are modules of the shell, which each version imports in its own way. */
    constructor(modules, service, settings) {
        this._modules = modules;
        this._service = service;
        this._clipboard = new Clipboard();
        // What the popup is open for: `target` and `text`, and `action` and `thread` once an action is chosen.
        this._errand = null;
        this._build();
        modules.Main.wm.addKeybinding(SHORTCUT, settings, Meta.KeyBindingFlags.IGNORE_AUTOREPEAT, Shell.ActionMode.NORMAL,
            () => this._begin());
    }

    destroy() {
        this._modules.Main.wm.removeKeybinding(SHORTCUT);
        this._menu.close();
        this._errand = null;
        this._answer.destroy();
        this._clipboard.destroy();
        // Runs a pending layout now: GNOME 48 would still run it after the popup was destroyed.
        this._menu.actor.get_allocation_box();
        this._menu.destroy();
    }

    /** Resumes a read whose callback GJS may have dropped. */
    resume() {
        this._answer.resume();
    }

    _build() {
        const {Main, PopupMenu} = this._modules;
        this._text = label('chappie-hint');
        this._text.can_focus = true;
        this._problem = label('chappie-text');
        this._problem.can_focus = true;
        this._list = column('chappie-list');
        this._listView = scroller('chappie-actions-view', this._list);
        this._answer = new Answer(this._service, () => this._answered());
        this._copy = button(_('Copy'), () => copy(this._answer.text));
        this._replace = button(_('Replace'), () => this._paste());
        this._continue = button(_('Continue in the window'), () => this._openWindow());
        this._stop = button(_('Stop the answer'), () => this._answer.stop());
        this._buttons = row('chappie-row', this._copy, this._replace, this._continue, this._stop);
        // Beside the pointer there is room for any height, unlike below it.
        this._menu = new PopupMenu.PopupMenu(Main.layoutManager.dummyCursor, 0, St.Side.LEFT);
        this._menu.box.add_child(column('chappie-box', this._text, this._problem, this._listView, this._answer.actor,
            this._buttons));
        this._menu.actor.hide();
        Main.uiGroup.add_child(this._menu.actor);
        // Its manager also closes the popup with Escape, and with a click elsewhere.
        Main.panel.menuManager.addMenu(this._menu);
        this._menu.actor.connect('key-press-event', (_actor, event) => this._keyPressed(event));
        this._menu.connect('open-state-changed', (_menu, isOpen) => {
            if (!isOpen)
                this._end();
        });
    }

    async _begin() {
        const errand = this._errand = {target: new Target(this._modules), text: '', action: null, thread: null};
        if (errand.target.isPassword) {
            this._open({problem: _('The focus is in a password field, whose text Chappie does not read.')});
            return;
        }
        const listing = this._service.call('Manager', 'ListActions', '(a{sv})', [{}])
            .then(([actions]) => ({actions}), failure => ({problem: failure.message}));
        const [{text, problem}, listed] = await Promise.all([this._clipboard.selectedText(),
            Promise.race([listing, this._clipboard.wait(LISTING_TIME)])]);
        if (errand !== this._errand)
            return;
        errand.text = text;
        this._open({text, problem, ...problem ? {} : listed});
        if (problem || listed)
            return;
        const late = await listing;
        if (errand === this._errand)
            this._open({text, ...late});
    }

    /** Shows the popup with the text and the actions, or with the problem. */
    _open({text = '', actions = [], problem = ''}) {
        const whole = text.trim();
        const shown = head(whole, SHOWN_LENGTH).split('\n', SHOWN_LINES).join('\n');
        this._text.text = visible(shown.length < whole.length ? `${shown}…` : shown);
        align(this._text);
        this._text.accessible_name = fill(_('Selected text: %s'), this._text.text);
        this._problem.text = problem;
        this._list.destroy_all_children();
        actions.forEach((action, index) => this._list.add_child(this._choice(action, index + 1)));
        this._answer.clear();
        this._show();
        if (!this._menu.isOpen) {
            this._modules.Main.layoutManager.setDummyCursorGeometry(...global.get_pointer().slice(0, 2), 0, 0);
            this._menu.open();
        }
        this._focus();
    }

    _choice(action, number) {
        const choice = button('', () => this._act(action));
        choice.add_style_class_name('chappie-action');
        const key = label('chappie-key', number <= 9 ? String(number) : '');
        key.x_expand = false;
        choice.child = row('chappie-row', key, label('', action.title));
        choice.accessible_name = action.title;
        choice.connect('key-focus-in', () => reveal(this._list, choice));
        choice.action = action;
        return choice;
    }

    _keyPressed(event) {
        this.resume();
        const symbol = event.get_key_symbol();
        const isKeypad = symbol >= Clutter.KEY_KP_1 && symbol <= Clutter.KEY_KP_9;
        const index = isKeypad ? symbol - Clutter.KEY_KP_1 : event.get_key_code() - KEY_CODE_1;
        const choice = this._listView.visible && index >= 0 && index < 9 ? this._list.get_child_at_index(index) : null;
        if (choice) {
            this._act(choice.action);
            return Clutter.EVENT_STOP;
        }
        // Arrows and Tab move the focus.
        return global.focus_manager.navigate_from_event(event) ? Clutter.EVENT_STOP : this._answer.scroll(symbol);
    }

    _act(action) {
        const errand = this._errand;
        errand.action = action;
        this._answer.ask(action.question.join(errand.text), () => this._openTurn(errand), action.title);
    }

    async _openTurn(errand) {
        // When the extension is disabled meanwhile, the thread must be known to be deleted.
        const thread = await this._service.createThread({cancellable: null});
        if (errand !== this._errand) {
            this._delete(thread);
            throw new Failure('Cancelled', '');
        }
        errand.thread = thread;
        return this._service.openTurn({thread, options: actionOptions(errand.action)});
    }

    _answered() {
        this._show();
        if (!this._errand)
            return;
        const {action, target, text} = this._errand;
        if (this._replace.visible && action.replace === 'at-once' && !target.mayRun(this._answer.text, text))
            this._paste();
        else
            this._focus();
    }

    _show() {
        const {action, target, thread} = this._errand ?? {};
        const {isComplete, isRunning, isWhole, text} = this._answer;
        this._text.visible = this._text.text !== '';
        this._problem.visible = this._problem.text !== '';
        this._listView.visible = !action && this._list.get_n_children() > 0;
        this._copy.visible = !isRunning && text !== '';
        this._replace.visible = isComplete && isWhole && text !== '' && action.replace !== 'never' && target.canPaste;
        this._continue.visible = isComplete && Boolean(thread) && hasWindow();
        this._stop.visible = isRunning;
        this._buttons.visible = Boolean(action);
    }

    // Focuses the first action, the button that replaces, or the first button or text.
    _focus() {
        if (this._replace.mapped) {
            this._replace.grab_key_focus();
            return;
        }
        const part = [this._listView, this._buttons].find(one => one.visible) ?? this._menu.box;
        if (!part.navigate_focus(null, St.DirectionType.TAB_FORWARD, false))
            this._menu.actor.grab_key_focus();
    }

    async _paste() {
        const errand = this._errand;
        const {text: answer} = this._answer;
        await released(this._menu.actor);
        const content = await this._clipboard.content();
        if (errand !== this._errand)
            return;
        if (!content) {
            this._problem.text =
                _('What is on the clipboard cannot be put back afterwards: copy the answer instead.');
            this._show();
            this._copy.grab_key_focus();
            return;
        }
        this._menu.close();
        errand.target.paste(answer, errand.text, this._clipboard, content);
    }

    _openWindow() {
        openWindow(this._errand.thread);
        this._errand.thread = null;
        this._menu.close();
    }

    /** Ends with the popup. Its thread goes, unless the window shows it. */
    _end() {
        const errand = this._errand;
        this._errand = null;
        this._text.text = '';
        this._answer.clear();
        this._delete(errand?.thread);
    }

    _delete(thread) {
        // The service may have ended.
        if (thread)
            this._service.call('Threads', 'Delete', '(s)', [thread], {cancellable: null}).catch(() => {});
    }
}
