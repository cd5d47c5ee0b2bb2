// SPDX-License-Identifier: Apache-2.0
// A question of a tool server during a call: a form, or a page to open.
import GObject from 'gi://GObject';
import Gtk from 'gi://Gtk?version=4.0';

import {_, fill, visible} from '../shared/text.js';
import {named} from './widgets.js';

/** The widget of each kind of field, with the function that returns its value; undefined for none. */
const FIELDS = {
    text: () => {
        const entry = new Gtk.Entry();
        return [entry, () => entry.text || undefined];
    },
    number: () => {
        const entry = new Gtk.Entry({inputPurpose: Gtk.InputPurpose.NUMBER});
        return [entry, () => entry.text.trim() && Number.isFinite(Number(entry.text)) ? Number(entry.text) : undefined];
    },
    flag: () => {
        const button = new Gtk.CheckButton();
        return [button, () => button.active];
    },
    choice: ({choices}) => {
        const list = Gtk.DropDown.new_from_strings(choices.map(visible));
        return [list, () => choices[list.selected]];
    },
};

export const ToolQuestion = GObject.registerClass({
    GTypeName: 'ChappieToolQuestion',
    Signals: {answered: {}},
}, class ToolQuestion extends Gtk.Box {
    /** `fields` and `url` as the service gives them. */
    constructor({server, message, fields = [], url = null}) {
        super({
            orientation: Gtk.Orientation.VERTICAL, spacing: 8, cssClasses: ['approval', 'card'],
            accessibleRole: Gtk.AccessibleRole.GROUP,
        });
        named(this, _('A question of a tool'));
        /** The answer; null if the user declines. */
        this.content = null;
        this.append(new Gtk.Label({
            label: fill(_('The tool server %1$s asks: %2$s'), visible(server), visible(message)), xalign: 0, wrap: true, wrapMode: 2, cssClasses: ['heading'], selectable: true,
        }));
        if (url)
            this.append(new Gtk.LinkButton({uri: url, label: visible(url), halign: Gtk.Align.START}));
        const grid = new Gtk.Grid({columnSpacing: 12, rowSpacing: 8});
        const rows = fields.map((field, row) => {
            const [widget, value] = (FIELDS[field.kind === 'integer' ? 'number' : field.kind] ?? FIELDS.text)(field);
            const title = visible(field.title);
            named(widget, title);
            widget.hexpand = true;
            grid.attach(new Gtk.Label({label: field.required ? fill(_('%s (needed)'), title) : title, xalign: 0}), 0, row, 1, 1);
            grid.attach(widget, 1, row, 1, 1);
            return {field, value};
        });
        this.append(grid);
        const buttons = new Gtk.Box({spacing: 8, halign: Gtk.Align.END});
        const problem = new Gtk.Label({xalign: 0, wrap: true, cssClasses: ['error'], visible: false});
        const end = content => {
            this.content = content;
            // GTK warns of a focused entry that takes no more keys.
            this.get_root()?.set_focus(null);
            this.sensitive = false;
            this.emit('answered');
        };
        const answers = [[_('Decline'), () => end(null)], [_('Answer'), () => {
            const missing = rows.find(({field, value}) => field.required && value() === undefined);
            if (missing) {
                problem.label = fill(_('Fill in “%s”.'), visible(missing.field.title));
                problem.visible = true;
                return;
            }
            end(Object.fromEntries(rows.map(({field, value}) => [field.name, value()]).filter(([, value]) => value !== undefined)));
        }]];
        answers.forEach(([caption, action]) => {
            const button = new Gtk.Button({label: caption});
            button.connect('clicked', action);
            buttons.append(button);
        });
        [problem, buttons].forEach(widget => this.append(widget));
    }
});
