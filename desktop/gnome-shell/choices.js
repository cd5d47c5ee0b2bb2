// SPDX-License-Identifier: Apache-2.0
// The model, its effort, the instructions and the web search of a conversation: a line that shows them, and opens to
// change them.
import Clutter from 'gi://Clutter';
import St from 'gi://St';

import {Choices, choicesLists, listModels, searchHint, searchList} from './shared/choices.js';
import {_, fill} from './shared/text.js';
import {button, column, label, reveal, row, scroller} from './widgets.js';

export class ChoicesView {
    /** `closed` is called when the lists were closed. */
    constructor(service, closed) {
        this._service = service;
        this._closed = closed;
        this._models = [];
        this.value = new Choices();
        this._summary = new St.Button({
            style_class: 'chappie-choices', can_focus: true, x_expand: true, x_align: Clutter.ActorAlign.START,
        });
        this._summary.connect('clicked', () => this._toggle());
        this._lists = {model: this._list(_('Model')), effort: this._list(_('Effort'))};
        this._instructions = new St.Entry({
            hint_text: _('Instructions'), accessible_name: _('Instructions'), can_focus: true, x_expand: true,
        });
        this._instructions.clutter_text.connect('text-changed', () => {
            this.value.instructions = this._instructions.text;
            this._showSummary();
        });
        this._instructions.clutter_text.connect('activate', () => this._toggle());
        this._lists.search = row('chappie-row');
        this._lists.search.accessible_name = _('Search the web');
        const titled = list => column('', label('chappie-title', list.accessible_name), scroller('chappie-choices-view', list));
        this._form = column('chappie-part',
            row('chappie-row', titled(this._lists.model), titled(this._lists.effort)), this._instructions,
            label('chappie-title', this._lists.search.accessible_name), this._lists.search, label('chappie-hint', searchHint()));
        this._form.visible = false;
        this.actor = column('', this._summary, this._form);
        this._showSummary();
    }

    _list(title) {
        const list = column('chappie-list');
        list.accessible_name = title;
        return list;
    }

    /** Those of a new conversation. */
    reset() {
        this.value = new Choices();
        this._instructions.text = '';
        this.show();
    }

    /** Shows the line, with the lists closed. */
    show() {
        this._form.visible = false;
        this._showSummary();
    }

    async _toggle() {
        this._form.visible = !this._form.visible;
        if (!this._form.visible) {
            this._closed();
            return;
        }
        this._fill();
        try {
            this._models = await listModels(this._service);
        } catch {
            return;  // What is chosen stays; a question says what is wrong.
        }
        if (!this._service.cancellable.is_cancelled() && this._form.visible)
            this._fill();
    }

    _fill() {
        const {models, efforts} = choicesLists(this._models, this.value, this._service.get('Client', 'Model'));
        this._put('model', models);
        this._put('effort', efforts);
        this._put('search', searchList());
        this._showSummary();
    }

    _put(key, values) {
        const list = this._lists[key];
        list.destroy_all_children();
        values.forEach(([value, text]) => {
            const choice = button(text, () => {
                this.value[key] = value;
                if (key === 'model')
                    this.value.effort = '';
                this._fill();
                list.get_children()[values.findIndex(([one]) => one === value)]?.grab_key_focus();
            });
            // All lists have a default.
            choice.accessible_name = `${list.accessible_name}: ${text}`;
            if (list !== this._lists.search)
                choice.connect('key-focus-in', () => reveal(list, choice));
            choice.toggle_mode = true;
            choice.checked = this.value[key] === value;
            list.add_child(choice);
        });
    }

    _showSummary() {
        this._summary.label = `${this.value.summary} ▾`;
        this._summary.accessible_name = fill(_('Asked with: %s'), this.value.summary);
    }
}
