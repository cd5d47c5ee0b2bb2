// SPDX-License-Identifier: Apache-2.0
// The button below the question that shows and changes the model, its effort, the instructions, whether the model may
// search the web, and the tool servers that it may use.
import GObject from 'gi://GObject';
import Gtk from 'gi://Gtk?version=4.0';

import {Choices, choicesLists, listModels, searchHint, searchList} from '../shared/choices.js';
import {_, fill, visible} from '../shared/text.js';
import {named} from './widgets.js';

export const ChoicesButton = GObject.registerClass({
    GTypeName: 'ChappieChoicesButton',
    Signals: {problem: {param_types: [GObject.TYPE_STRING]}},
}, class ChoicesButton extends Gtk.Box {
    constructor(service) {
        super();
        this._service = service;
        this._models = [];
        this.value = new Choices();
        const grid = new Gtk.Grid({columnSpacing: 12, rowSpacing: 12, cssClasses: ['choices']});
        this._model = this._list(grid, 0, _('Model'), value => {
            this.value.model = value;
            this.value.effort = '';
        });
        this._effort = this._list(grid, 1, _('Effort'), value => (this.value.effort = value));
        this._instructions = new Gtk.TextView({
            wrapMode: Gtk.WrapMode.WORD_CHAR, acceptsTab: false, topMargin: 6, bottomMargin: 6, leftMargin: 6, rightMargin: 6,
        });
        named(this._instructions, _('Instructions'));
        this._instructions.buffer.connect('changed', () => {
            this.value.instructions = this._instructions.buffer.text;
            this._showSummary();
        });
        grid.attach(new Gtk.Label({label: _('Instructions'), xalign: 0, valign: Gtk.Align.START}), 0, 2, 1, 1);
        grid.attach(new Gtk.ScrolledWindow({
            child: this._instructions, minContentHeight: 80, minContentWidth: 240, hscrollbarPolicy: Gtk.PolicyType.NEVER,
            cssClasses: ['entry'],
        }), 1, 2, 1, 1);
        this._search = this._list(grid, 3, _('Search the web'), value => (this.value.search = value));
        grid.attach(new Gtk.Label({
            label: searchHint(), xalign: 0, wrap: true, maxWidthChars: 36,
            cssClasses: ['caption', 'dim-label'],
        }), 1, 4, 1, 1);
        this._toolsTitle = new Gtk.Label({label: _('Tools'), xalign: 0, valign: Gtk.Align.START, visible: false});
        this._tools = new Gtk.Box({orientation: Gtk.Orientation.VERTICAL});
        grid.attach(this._toolsTitle, 0, 5, 1, 1);
        grid.attach(this._tools, 1, 5, 1, 1);
        this._label = new Gtk.Label({ellipsize: 3, cssClasses: ['caption']});
        this._button = new Gtk.MenuButton({
            child: this._label, alwaysShowArrow: true, popover: new Gtk.Popover({child: grid}),
            direction: Gtk.ArrowType.UP, cssClasses: ['flat'],
            tooltipText: _('Model, effort, instructions, web search and tools'),
        });
        this._button.popover.connect('show', () => this._read());
        this.append(this._button);
        this._showSummary();
    }

    /** Shows the choices of a conversation. */
    set_choices(choices) {
        this.value = choices;
        this._fill();
        this._instructions.buffer.set_text(choices.instructions, -1);
    }

    _list(grid, row, name, choose) {
        const list = new Gtk.DropDown({hexpand: true});
        // The list has the name of its label. A screen reader finds the button in it, too.
        named(list.get_first_child(), name);
        list.connect('notify::selected', () => {
            if (this._isFilling || !list.values)
                return;
            choose(list.values[list.selected][0]);
            this._fill();
        });
        grid.attach(new Gtk.Label({label: name, xalign: 0, mnemonicWidget: list}), 0, row, 1, 1);
        grid.attach(list, 1, row, 1, 1);
        return list;
    }

    async _read() {
        this._fill();
        this._readTools();
        try {
            this._models = await listModels(this._service);
            this._fill();
        } catch (error) {
            this.emit('problem', error.message);
        }
    }

    /** Lists the tool servers that `chappie tools` has. A service of before has none. */
    async _readTools() {
        const [servers] = await this._service.call('Client', 'ListToolServers', '()', []).catch(() => [[]]);
        [...this._tools].forEach(button => this._tools.remove(button));
        servers.forEach(({name}) => {
            const button = new Gtk.CheckButton({label: visible(name), active: this.value.tools.includes(name)});
            button.connect('toggled', () => {
                this.value.tools = [...this.value.tools.filter(other => other !== name), ...button.active ? [name] : []];
                this._showSummary();
            });
            this._tools.append(button);
        });
        this._toolsTitle.visible = servers.length > 0;
    }

    _fill() {
        const {models, efforts} = choicesLists(this._models, this.value, this._service.get('Client', 'Model'));
        this._isFilling = true;
        [
            [this._model, models, this.value.model], [this._effort, efforts, this.value.effort],
            [this._search, searchList(), this.value.search],
        ].forEach(([list, values, chosen]) => {
            // The same list is not replaced, because this would close it.
            if (JSON.stringify(values) !== JSON.stringify(list.values)) {
                list.values = values;
                list.model = Gtk.StringList.new(values.map(([, text]) => text));
            }
            list.selected = values.findIndex(([value]) => value === chosen);
        });
        this._isFilling = false;
        this._showSummary();
    }

    _showSummary() {
        this._label.label = this.value.summary;
        // The button within the menu button takes its name from it.
        named(this._button, fill(_('Asked with: %s'), this.value.summary));
    }
});
