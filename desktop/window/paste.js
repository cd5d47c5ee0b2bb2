// SPDX-License-Identifier: Apache-2.0
// The way back into the program from which a text came: the clipboard, a paste key, and the clipboard as it was. It
// exists on X11 with xdotool, in sway with wtype and wl-clipboard, and in Plasma with wl-clipboard and a portal.
import Gdk from 'gi://Gdk?version=4.0';
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';

import {promise} from '../shared/service.js';
import {_, UNPASTEABLE} from '../shared/text.js';
import {Keyboard, activeWindow} from './plasma.js';
import {delay, isWayland, readAll, within} from './selection.js';

// App ids and classes, as extended regular expressions for names of any case. Terminals paste with Ctrl+Shift+V.
const TERMINALS = '^(alacritty|com\\.gexperts\\.tilix|com\\.mitchellh\\.ghostty|com\\.raggesilver\\.blackbox|contour'
    + '|cool-retro-term|deepin-terminal|foot|footclient|gnome-terminal(-server)?|guake|io\\.elementary\\.terminal|kgx'
    + '|kitty|konsole|lxterminal|mate-terminal|org\\.gnome\\.(console|ptyxis|terminal)|org\\.kde\\.(konsole|yakuake)'
    + '|org\\.wezfurlong\\.wezterm|qterminal|rio|sakura|st(-256color)?|terminator|terminology|tilda|tilix|yakuake'
    + '|xfce4-terminal)$';
// In milliseconds. Nothing tells that the program has read the clipboard, and managers of the clipboard read it too.
const PASTING_TIME = 1000;
const FOCUS_TIME = 1500;
// Until the program, too, knows that it has the focus.
const SETTLING_TIME = 100;
const FOCUS_INTERVAL = 50;
// For a program, and for all that read the clipboard: a busy computer starts one in a second.
const RUNNING_TIME = 5000;
// In seconds, and as an argument. A program of X11 for which xclip waits may end when it answers one that is gone.
const LEAVING_TIME = '60';
const SIGTERM = 15;
// In bytes: larger contents of the clipboard are not kept.
const MAXIMUM_CONTENT = 16 * 1024 * 1024;
const MAXIMUM_LIST = 64 * 1024;
// Password managers mark what they copy, which is not kept either.
const SECRET = 'x-kde-passwordManagerHint';
const UTF8 = 'text/plain;charset=utf-8';
// Types of X11 that are no content.
const META = ['TARGETS', 'TIMESTAMP', 'MULTIPLE', 'SAVE_TARGETS', 'DELETE'];
// It gathers all data before it writes some, without a bound of its own. The type follows.
const XCLIP = ['sh', '-c', 'ulimit -v 131072; exec xclip -selection clipboard -out -target "$0"'];

/**
 * Runs a program with an input, and returns its output in bytes: null if it fails or has more than `MAXIMUM_CONTENT`,
 * undefined if it has not ended in time.
 */
async function run(command, {input = null, milliseconds = RUNNING_TIME} = {}) {
    // wl-copy stays in the background, and would hold a pipe open.
    const flags = input ? Gio.SubprocessFlags.STDIN_PIPE | Gio.SubprocessFlags.STDOUT_SILENCE
        : Gio.SubprocessFlags.STDOUT_PIPE;
    let process;
    try {
        process = Gio.Subprocess.new(['timeout', '-k', '5', LEAVING_TIME, ...command],
            flags | Gio.SubprocessFlags.STDERR_SILENCE);
    } catch {
        return null;
    }
    try {
        return await within(milliseconds, async cancellable => {
            if (input)
                await promise(process, 'communicate_async', input, cancellable);
            // A child of wl-paste may hold the pipe open after its end: then it counts as late.
            const bytes = input ? new Uint8Array()
                : await readAll(process.get_stdout_pipe(), MAXIMUM_CONTENT, cancellable);
            if (bytes.length > MAXIMUM_CONTENT) {
                process.send_signal(SIGTERM);
                return null;
            }
            await promise(process, 'wait_async', cancellable);
            return process.get_successful() ? bytes : null;
        });
    } catch {
        return process.get_identifier() === null ? null : undefined;
    }
}

const now = () => GLib.get_monotonic_time() / 1000;

const textOf = bytes => new TextDecoder().decode(bytes ?? new Uint8Array());

/** Whether the app id or the class of a program is that of a terminal, and of one in which nothing can be pasted. */
const matching = name => [TERMINALS, UNPASTEABLE].map(pattern => new RegExp(pattern, 'i').test(name));

/**
 * What is on the clipboard: types and contents in pairs, none if it is empty or a secret; null if it cannot be read.
 * `list` and `read` are commands, the latter without its type. `list` fails with the error `nothing` if there is nothing
 * on the clipboard; `choose` returns the types that are kept.
 */
async function contents(list, nothing, read, choose) {
    const end = now() + RUNNING_TIME;
    const ask = command => run(command, {milliseconds: Math.max(0, end - now())});
    const listed = await ask(list);
    const error = listed === null ? textOf(await ask(['sh', '-c', '"$@" 2>&1; :', 'sh', ...list])) : '';
    if (listed ? listed.length > MAXIMUM_LIST : !nothing.test(error))
        return null;
    const types = textOf(listed).split('\n').filter(type => type && !META.includes(type));
    if (types.includes(SECRET))
        return [];
    const chosen = choose(types);
    const found = [];
    let room = MAXIMUM_CONTENT;
    for (const type of chosen) {
        const content = await ask([...read, type]);
        if (content === undefined)
            return null;
        // Some programs offer types that they do not have.
        if (!content || content.length > room)
            continue;
        room -= content.length;
        found.push([type, content]);
    }
    return found.length === 0 && types.length > 0 ? null : found;
}

// Without the focus, only wl-copy can set Wayland's clipboard. It offers one kind of data.
const wlClipboard = {
    save: () => contents(['wl-paste', '--list-types'], /^No(thing is copied| selection)$/m,
        ['wl-paste', '--no-newline', '--type'],
        types => [types.find(type => type.startsWith('text/plain')) ?? types[0]].filter(type => type)),

    copy: text => run(['wl-copy', '--type', UTF8], {input: new TextEncoder().encode(text)}),

    copied: () => run(['wl-paste', '--no-newline', '--type', UTF8]),

    restore: ([[type, content] = []]) =>
        content?.length ? run(['wl-copy', '--type', type], {input: content}) : run(['wl-copy', '--clear']),
};

/** The focused window of sway's tree, or null. */
function focusedIn(node) {
    if (node.focused)
        return node.pid ? node : null;
    const children = [...node.nodes ?? [], ...node.floating_nodes ?? []];
    return children.reduce((found, child) => found ?? focusedIn(child), null);
}

const sway = {
    ...wlClipboard,
    programs: ['swaymsg', 'wtype', 'wl-copy', 'wl-paste'],

    async window() {
        try {
            return focusedIn(JSON.parse(textOf(await run(['swaymsg', '--raw', '--type', 'get_tree']))));
        } catch {
            return null;  // It has ended, or its answer is not JSON.
        }
    },

    matching: window => matching(window.app_id ?? window.window_properties?.class ?? ''),

    paste: keys => run(['wtype', ...keys.flatMap(key => ['-M', key]), 'v', ...keys.flatMap(key => ['-m', key])]),
};

// The desktop asks the user before it lets a keyboard be opened.
const plasma = () => ({
    ...wlClipboard,
    programs: ['wl-copy', 'wl-paste'],
    keyboard: new Keyboard(),
    window: activeWindow,
    matching: ({name}) => matching(name),

    open() {
        return this.keyboard.open();
    },

    paste(keys) {
        return this.keyboard.paste(keys);
    },

    close() {
        this.keyboard.close();
    },
});

const x11 = {
    programs: ['xdotool', 'xclip'],

    // X11 gives the number of a closed window to the next one.
    async window() {
        const [number, process] = await Promise.all([['getwindowfocus'], ['getwindowfocus', 'getwindowpid']].map(
            async words => textOf(await run(['xdotool', ...words])).trim()));
        return number ? {number, id: `${number} ${process}`} : null;
    },

    // The xdotool of Debian 12 finds windows by their class, but does not tell the class of one.
    matching: ({number}) => Promise.all([TERMINALS, UNPASTEABLE].map(async pattern =>
        textOf(await run(['xdotool', 'search', '--class', pattern])).split('\n').includes(number))),

    // Not with GTK: a clipboard whose program has not told its types yet looks empty there, and has no mark of a secret.
    // What lists no types may be a program that has text all the same.
    save: () => contents([...XCLIP, 'TARGETS'], /^Error: target TARGETS not available$/m, XCLIP, types => {
        const mimeTypes = types.filter(type => type.includes('/'));
        const text = ['UTF8_STRING', 'STRING'].find(type => types.length === 0 || types.includes(type));
        return text && !mimeTypes.includes(UTF8) ? [...mimeTypes, text] : mimeTypes;
    }),

    async copy(text) {
        Gdk.Display.get_default().get_clipboard().set(text);
    },

    copied: () => run([...XCLIP, 'UTF8_STRING']),

    async restore(found) {
        const providers = found.map(([type, content]) => Gdk.ContentProvider.new_for_bytes(
            type.includes('/') ? type : UTF8,
            type === 'STRING' ? new TextEncoder().encode(new TextDecoder('iso-8859-1').decode(content)) : content));
        Gdk.Display.get_default().get_clipboard().set_content(
            providers.length > 0 ? Gdk.ContentProvider.new_union(providers) : null);
    },

    paste: keys => run(['xdotool', 'key', '--clearmodifiers', [...keys, 'v'].join('+')]),
};

class WayBack {
    constructor(desktop, window, isTerminal) {
        this._desktop = desktop;
        this._window = window;
        this.isTerminal = isTerminal;
    }

    /**
     * Gets what `replace` needs, and keeps what is on the clipboard. Throws an error with a sentence for the user. If
     * nothing is replaced afterwards, `close` is to be called.
     */
    async prepare() {
        if (await this._desktop.open?.() === false)
            throw new Error(_('The desktop does not let Chappie press keys: copy the answer instead.'));
        this._before = await this._desktop.save();
        if (this._before === null) {
            throw new Error(
                _('What is on the clipboard cannot be put back afterwards: copy the answer instead.'));
        }
    }

    /**
     * Replaces the selected text, after `prepare`, if `mayPress` allows the key. Returns false if it cannot: the text stays
     * on the clipboard then.
     */
    async replace(text, mayPress) {
        try {
            await this._desktop.copy(text);
            if (!await this._hasReturned())
                return false;
            await delay(SETTLING_TIME);
            if (!mayPress() || !await this._desktop.paste(this.isTerminal ? ['ctrl', 'shift'] : ['ctrl']))
                return false;
            await delay(PASTING_TIME);
            // What was copied meanwhile stays.
            if (textOf(await this._desktop.copied()) === text)
                await this._desktop.restore(this._before);
            return true;
        } finally {
            this.close();
        }
    }

    close() {
        this._desktop.close?.();
    }

    async _hasReturned() {
        for (let waited = 0; waited < FOCUS_TIME; waited += FOCUS_INTERVAL) {
            if ((await this._desktop.window())?.id === this._window.id)
                return true;
            await delay(FOCUS_INTERVAL);
        }
        return false;
    }
}

/** The desktop, and its `window` that has the focus now; null if nothing can be pasted. */
export async function focusedWindow() {
    const isPlasma = GLib.getenv('XDG_CURRENT_DESKTOP')?.split(':').includes('KDE');
    const desktop = !isWayland() ? x11 : GLib.getenv('SWAYSOCK') ? sway : isPlasma ? plasma() : null;
    if (!desktop?.programs.every(program => GLib.find_program_in_path(program)))
        return null;
    const window = await desktop.window();
    return window ? {desktop, window} : null;
}

/** The way back into the program of a window; null if there is none. */
export async function wayBack({desktop, window}) {
    const [isTerminal, isUnpasteable] = await desktop.matching(window);
    return isUnpasteable ? null : new WayBack(desktop, window, isTerminal);
}
