// SPDX-License-Identifier: Apache-2.0
// The way back: an answer goes to the window that had the focus, through the clipboard and by the keys that paste.
import Clutter from 'gi://Clutter';
import GLib from 'gi://GLib';
import Shell from 'gi://Shell';

import {_, UNPASTEABLE, replacement} from './shared/text.js';

const {PASSWORD, TERMINAL} = Clutter.InputContentPurpose;
const {HIDDEN_TEXT} = Clutter.InputContentHintFlags;
const {SHIFT_MASK, CONTROL_MASK, MOD1_MASK, MOD4_MASK, SUPER_MASK} = Clutter.ModifierType;
const MODIFIERS = SHIFT_MASK | CONTROL_MASK | MOD1_MASK | MOD4_MASK | SUPER_MASK;
// Milliseconds until a window has the focus again, and between two keys: some programs drop keys that come at once.
const FOCUS_TIME = 80;
const KEY_TIME = 12;
// Milliseconds until the clipboard is restored. Nothing tells when a program has read it, and slow programs ask late.
const READING_TIME = 1000;
// The key V, as the kernel numbers it. Layouts without Latin letters have the shortcuts of these keys; in some layouts
// with Latin letters the V is elsewhere.
const KEY_V = 47;
const V_IS_ELSEWHERE = /dvorak|dvp|workman|bepo|neo|bone|koy|adnw|noted|engram|halmak|ergonomic|tr\+f/;

const isHeld = () => (global.get_pointer()[2] & MODIFIERS) !== 0;

/** Resolves when no modifier is held, which would change the keys. The actor has the keyboard. */
export const released = actor => new Promise(resolve => {
    if (!isHeld())
        return resolve();
    const handler = actor.connect('captured-event', (_actor, event) => {
        if (event.type() === Clutter.EventType.KEY_RELEASE && !isHeld()) {
            actor.disconnect(handler);
            resolve();
        }
        return Clutter.EVENT_PROPAGATE;
    });
});

/** The window that has the focus when this is created, and what its text field is. */
export class Target {
    constructor({Main, Keyboard}) {
        this._main = Main;
        this._keyboard = Keyboard;
        this._window = global.display.focus_window;
        const {currentFocus, content_purpose: purpose, content_hints: hints} = Main.inputMethod;
        const app = this._window && Shell.WindowTracker.get_default().get_window_app(this._window);
        const categories = app?.app_info?.get_categories() ?? '';
        this.isPassword = currentFocus !== null && (purpose === PASSWORD || (hints & HIDDEN_TEXT) !== 0);
        this._isTerminal = currentFocus !== null && purpose === TERMINAL || categories.split(';').includes('TerminalEmulator');
    }

    get canPaste() {
        return this._window !== null && !new RegExp(UNPASTEABLE, 'i').test(this._window.get_wm_class() ?? '');
    }

    get _hasFocus() {
        return global.display.focus_window === this._window && this._main.modalCount === 0;
    }

    /** What replaces a text. */
    replacement(answer, text) {
        return replacement(answer, text, this._isTerminal);
    }

    /** Whether pasting it could run a line of it. */
    mayRun(answer, text) {
        return this._isTerminal && this.replacement(answer, text).includes('\n');
    }

    /**
     * Pastes an answer in place of a text, with the line breaks that the text ends with, and puts the content of the
     * clipboard back. The popup must be closed, since it takes the keys.
     */
    async paste(answer, text, clipboard, content) {
        clipboard.lend(this.replacement(answer, text), content);
        await clipboard.wait(FOCUS_TIME);
        // Another program may have copied, and the extension may be disabled.
        if (!clipboard.isLent)
            return;
        if (!this._hasFocus) {
            clipboard.leave();
            this._main.notify(_('The answer is in the clipboard'), _('The window of the text has lost the focus.'));
            return;
        }
        await this._press(clipboard);
        await clipboard.wait(READING_TIME);
        clipboard.restore();
    }

    async _press(clipboard) {
        const device = Clutter.get_default_backend().get_default_seat().create_virtual_device(
            Clutter.InputDeviceType.KEYBOARD_DEVICE);
        const layout = this._keyboard.getInputSourceManager().currentSource?.xkbId ?? '';
        const modifiers = [Clutter.KEY_Control_L, ...this._isTerminal ? [Clutter.KEY_Shift_L] : []];
        const keys = [...modifiers.map(key => ['notify_keyval', key]),
            V_IS_ELSEWHERE.test(layout) ? ['notify_keyval', Clutter.KEY_v] : ['notify_key', KEY_V]];
        const send = async ([notify, key], state) => {
            device[notify](GLib.get_monotonic_time(), key, state);
            await clipboard.wait(KEY_TIME);
        };
        const pressed = [];
        for (const key of keys) {
            // Another program may copy, and the extension may be disabled, which does not wait.
            if (!clipboard.isLent)
                break;
            pressed.unshift(key);
            await send(key, Clutter.KeyState.PRESSED);
        }
        for (const key of pressed)
            await send(key, Clutter.KeyState.RELEASED);
    }
}
