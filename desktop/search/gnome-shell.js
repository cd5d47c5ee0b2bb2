// SPDX-License-Identifier: Apache-2.0
// The search provider of GNOME Shell's overview.
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';

import {openWindow} from '../shared/service.js';
import {serve} from './bus.js';
import {openResult} from './search.js';

const XML = `<node>
  <interface name="org.gnome.Shell.SearchProvider2">
    <method name="GetInitialResultSet">
      <arg name="terms" type="as" direction="in"/>
      <arg name="results" type="as" direction="out"/>
    </method>
    <method name="GetSubsearchResultSet">
      <arg name="previous_results" type="as" direction="in"/>
      <arg name="terms" type="as" direction="in"/>
      <arg name="results" type="as" direction="out"/>
    </method>
    <method name="GetResultMetas">
      <arg name="identifiers" type="as" direction="in"/>
      <arg name="metas" type="aa{sv}" direction="out"/>
    </method>
    <method name="ActivateResult">
      <arg name="identifier" type="s" direction="in"/>
      <arg name="terms" type="as" direction="in"/>
      <arg name="timestamp" type="u" direction="in"/>
    </method>
    <method name="LaunchSearch">
      <arg name="terms" type="as" direction="in"/>
      <arg name="timestamp" type="u" direction="in"/>
    </method>
  </interface>
</node>`;

export function serveGnomeShell(connection, path, search, intercept) {
    const icon = new Gio.ThemedIcon({name: 'org.chappie'}).serialize();
    const find = terms => search.find(terms.join(' '));
    serve(connection, path, XML, {
        GetInitialResultSet: find,
        // The previous results are cut at the maximum, so more words may match a thread that is not among them.
        GetSubsearchResultSet: (_previous, terms) => find(terms),
        GetResultMetas: async ids => (await search.describe(ids)).map(({id, name, description}) => ({
            id: new GLib.Variant('s', id), name: new GLib.Variant('s', name),
            description: new GLib.Variant('s', description), icon,
        })),
        ActivateResult: id => openResult(connection, id),
        LaunchSearch: terms => openWindow(connection, 'search', terms.join(' ')),
    }, intercept);
}
