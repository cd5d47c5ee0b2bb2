// SPDX-License-Identifier: Apache-2.0
// Whether the focus is in a password field, as programs tell it to screen readers (AT-SPI). The bus of AT-SPI is asked
// directly: libatspi would wait for programs that do not answer.
import Gio from 'gi://Gio';

import {call, promise} from '../shared/service.js';
import {within} from './selection.js';

const REGISTRY = 'org.a11y.atspi.Registry';
const ROOT = '/org/a11y/atspi/accessible/root';
// Of AT-SPI's lists of states and roles.
const [ACTIVE, FOCUSED, VISIBLE] = [1, 12, 30];
const PASSWORD_TEXT = 40;
// In milliseconds. A busy machine needs more than 150; only a program that does not answer uses it up.
const DEADLINE = 1000;
const MAXIMUM_CALLS = 2000;

class Tree {
    constructor(bus, cancellable) {
        this._bus = bus;
        this._cancellable = cancellable;
        this._calls = 0;
    }

    async _call([name, path], method) {
        if (++this._calls > MAXIMUM_CALLS)
            throw new Error('too many accessible objects');
        const reply = await call(this._bus, name, path, `org.a11y.atspi.Accessible.${method}`, '()', [],
            {timeout: DEADLINE, cancellable: this._cancellable});
        return reply.deepUnpack()[0];
    }

    /** The children of an object; none, if its program does not answer. */
    children(object) {
        return this._call(object, 'GetChildren').catch(() => []);
    }

    /** Whether an object has one of these states. */
    async has(object, ...states) {
        const [low] = await this._call(object, 'GetState').catch(() => [0]);
        return states.map(state => (low >>> state & 1) === 1);
    }

    async isPassword(object) {
        return await this._call(object, 'GetRole').catch(() => 0) === PASSWORD_TEXT;
    }
}

/** Looks for a focused password field in the active window of a program, one level after the other. */
async function hasFocusedPassword(tree, program) {
    const windows = await tree.children(program);
    const active = await Promise.all(windows.map(async window => (await tree.has(window, ACTIVE))[0]));
    let level = windows.filter((_window, index) => active[index]);
    while (level.length > 0) {
        const objects = await Promise.all(level.map(async object => {
            const [isFocused, isVisible] = await tree.has(object, FOCUSED, VISIBLE);
            return {isFocused, object, isVisible};
        }));
        // Some toolkits focus a part of the field.
        const focused = objects.filter(({isFocused}) => isFocused).map(({object}) => object);
        if ((await Promise.all(focused.map(object => tree.isPassword(object)))).includes(true))
            return true;
        level = (await Promise.all(objects.filter(({isVisible}) => isVisible)
            .map(({object}) => tree.children(object)))).flat();
    }
    return false;
}

async function connect(connection, cancellable) {
    const reply = await call(connection, 'org.a11y.Bus', '/org/a11y/bus', 'org.a11y.Bus.GetAddress', '()', [],
        {flags: Gio.DBusCallFlags.NO_AUTO_START, cancellable});
    return promise(Gio.DBusConnection, 'new_for_address', reply.deepUnpack()[0],
        Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION, null,
        cancellable);
}

/** Asks all programs at once, so that none hides the answer of another: by being slow, by its size, or by nonsense. */
async function isPasswordFocused(bus, cancellable) {
    const programs = await new Tree(bus, cancellable).children([REGISTRY, ROOT]);
    const answers = programs.map(program =>
        hasFocusedPassword(new Tree(bus, cancellable), program).catch(() => false));
    return new Promise(resolve => {
        answers.forEach(answer => answer.then(found => found && resolve(true)));
        Promise.all(answers).then(() => resolve(false));
    });
}

// Kept, because connecting takes about as long as the look. No signals come from it.
let bus = null;

/**
 * Whether the focus is known to be in a password field; false without AT-SPI, and where programs tell nothing in time.
 */
export async function focusIsSecret(connection) {
    try {
        return await within(DEADLINE, async cancellable => {
            if (bus?.is_closed() ?? true)
                bus = await connect(connection, cancellable);
            return isPasswordFocused(bus, cancellable);
        });
    } catch {
        return false;
    }
}
