// SPDX-License-Identifier: Apache-2.0
// Pending approvals of tool calls, from any program of the user. No signal announces all of them, so the list is read
// when it is opened, when its window gets the focus, and on request.
import Adw from 'gi://Adw?version=1';

import {Approval} from './approval.js';
import {_} from '../shared/text.js';
import {iconButton} from './widgets.js';

export class ApprovalsPage {
    constructor(service) {
        this._service = service;
        this.page = new Adw.PreferencesPage({
            name: 'approvals', title: _('Approvals'), iconName: 'emblem-ok-symbolic',
        });
        this._group = new Adw.PreferencesGroup({title: _('Tools that wait for approval')});
        this._group.headerSuffix = iconButton('view-refresh-symbolic', _('Look again'), {
            cssClasses: ['flat'], act: () => this.refresh(),
        });
        this.page.add(this._group);
        this._cards = [];
    }

    async refresh() {
        const cards = [];
        try {
            const [approvals] = await this._service.call('Manager', 'ListApprovals', '()', []);
            for (const {approval} of approvals) {
                // An approval that was answered in the meantime is left out.
                const [details] = await this._service.call('Manager', 'GetApproval', '(s)', [approval]).catch(() => [null]);
                if (details)
                    cards.push(this._card(approval, details));
            }
            this._group.description = cards.length === 0 ? _('No tool waits.') : '';
        } catch (error) {
            this._group.description = error.message;
        }
        this._cards.forEach(card => this._group.remove(card));
        this._cards = cards;
        cards.forEach(card => this._group.add(card));
    }

    _card(approval, {tool, app, arguments: text}) {
        const card = new Approval({tool, app, text});
        card.connect('answered', async (_card, approved) => {
            await this._service.call('Manager', 'AnswerApproval', '(sbs)', [approval, approved, ''])
                .catch(error => (this._group.description = error.message));
            this.refresh();
        });
        return card;
    }
}
