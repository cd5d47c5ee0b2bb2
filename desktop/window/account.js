// SPDX-License-Identifier: Apache-2.0
// The account's window: accounts, usage limits, storage, and pending approvals.
import Adw from 'gi://Adw?version=1';

import {accountsGroup, applicationsGroup} from './accounts.js';
import {ApprovalsPage} from './approvals.js';
import {StorageGroup} from './storage.js';
import {UsageGroup} from './usage.js';
import {_} from '../shared/text.js';

export class Account {
    constructor(parent, service) {
        this._parent = parent;
        this._service = service;
        this._window = null;
    }

    /** `page` is `account` or `approvals`. */
    open(page) {
        if (!this._window)
            this._build();
        this._window.visiblePageName = page;
        this._window.present();
        this.refresh();
    }

    close() {
        this._window?.close();
    }

    /** Refreshes all parts, if the window is open. */
    refresh() {
        this._parts?.forEach(part => part.refresh());
    }

    _build() {
        this._window = new Adw.PreferencesWindow({
            title: _('Account and plan'), transientFor: this._parent, modal: true, searchEnabled: false,
            defaultWidth: 560, defaultHeight: 560,
        });
        const account = new Adw.PreferencesPage({
            name: 'account', title: _('Account and plan'), iconName: 'avatar-default-symbolic',
        });
        const usage = new UsageGroup(this._service);
        const storage = new StorageGroup(this._service, this._window);
        const accounts = accountsGroup(this._service, () => this.close());
        const applications = applicationsGroup(this._service);
        [accounts.group, usage.group, applications.group, storage.group].forEach(group => account.add(group));
        const approvals = new ApprovalsPage(this._service);
        this._window.add(account);
        this._window.add(approvals.page);
        this._parts = [usage, storage, accounts, applications, approvals];
        const changed = this._service.connect('changed', () => [usage, accounts].forEach(part => part.show()));
        this._window.connect('close-request', () => {
            this._service.disconnect(changed);
            this._window = this._parts = null;
            return false;
        });
    }
}
