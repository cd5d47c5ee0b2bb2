// SPDX-License-Identifier: Apache-2.0
// The runner of KRunner, which Plasma's menus use too.
import GLib from 'gi://GLib';

import {serve} from './bus.js';
import {openResult} from './search.js';

// Without Config, which KRunner calls only with X-Plasma-API=DBus2.
const XML = `<node>
  <interface name="org.kde.krunner1">
    <method name="Teardown"/>
    <method name="Actions">
      <annotation name="org.qtproject.QtDBus.QtTypeName.Out0" value="RemoteActions"/>
      <arg name="matches" type="a(sss)" direction="out"/>
    </method>
    <method name="Run">
      <arg name="matchId" type="s" direction="in"/>
      <arg name="actionId" type="s" direction="in"/>
    </method>
    <method name="Match">
      <annotation name="org.qtproject.QtDBus.QtTypeName.Out0" value="RemoteMatches"/>
      <arg name="query" type="s" direction="in"/>
      <arg name="matches" type="a(sssida{sv})" direction="out"/>
    </method>
  </interface>
</node>`;

// KRunner's match categories: conversations are possible matches; “Ask” always matches, and comes last.
const POSSIBLE = 30;
const COMPLETION = 10;

export function serveKRunner(connection, path, search, intercept) {
    serve(connection, path, XML, {
        Teardown: () => search.forget(),
        Actions: () => [],
        Run: id => openResult(connection, id),
        Match: async query => {
            const found = await search.describe(await search.find(query));
            return found.map(({id, name, description}, place) => {
                const isLast = place === found.length - 1;
                return [id, name, 'org.chappie', isLast ? COMPLETION : POSSIBLE, isLast ? 0.1 : 0.7 - place / 100,
                    {subtext: new GLib.Variant('s', description)}];
            });
        },
    }, intercept);
}
