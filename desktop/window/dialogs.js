// SPDX-License-Identifier: Apache-2.0
// Dialogs before a conversation or an account is changed or added.
import Adw from 'gi://Adw?version=1';
import Gtk from 'gi://Gtk?version=4.0';

import {_} from '../shared/text.js';
import {named} from './widgets.js';

function ask(parent, heading, body, label, appearance, extraChild, act) {
    const dialog = new Adw.MessageDialog({heading, body, transientFor: parent, modal: true, extraChild});
    dialog.add_response('cancel', _('Cancel'));
    dialog.add_response('do', label);
    dialog.set_response_appearance('do', appearance);
    dialog.defaultResponse = extraChild ? 'do' : 'cancel';
    dialog.closeResponse = 'cancel';
    dialog.connect('response', (_dialog, response) => {
        if (response === 'do')
            act();
    });
    dialog.present();
    return dialog;
}

/** Asks for confirmation before the destructive `act`. */
export const confirm = (parent, heading, body, label, act) =>
    ask(parent, heading, body, label, Adw.ResponseAppearance.DESTRUCTIVE, null, act);

/** Asks for a name of 1 to 200 characters, and passes it to `act`. */
export function askText(parent, heading, body, label, act, {text = '', mayBeEmpty = false} = {}) {
    const entry = named(new Gtk.Entry({text, activatesDefault: true, maxLength: 200}), heading);
    const dialog = ask(parent, heading, body, label, Adw.ResponseAppearance.SUGGESTED, entry, () => act(entry.text.trim()));
    const follow = () => dialog.set_response_enabled('do', mayBeEmpty || entry.text.trim() !== '');
    entry.connect('changed', follow);
    follow();
}

/** Asks for a title, and passes it to `act`. */
export const rename = (parent, title, act) => askText(parent, _('Rename the conversation'),
    _('Without a title, the next question names it.'), _('Rename'), act, {text: title, mayBeEmpty: true});
