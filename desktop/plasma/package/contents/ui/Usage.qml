// SPDX-License-Identifier: Apache-2.0
// The usage limits of the plan, as bars.
pragma ComponentBehavior: Bound

import QtQuick
import QtQuick.Layouts
import org.kde.plasma.components as PlasmaComponents

import "texts.js" as Texts

ColumnLayout {
    id: view

    required property var service
    /** Whether the popup is open. */
    property bool popupOpen: false
    readonly property var live: service.client.UsageLimits ?? {}
    readonly property bool isKnown: Object.keys(live).length > 0
    property var asked: ({})
    readonly property var windows: ["primary", "secondary"].map(name => (isKnown ? live : asked)[name])
        .filter(window => window)
    readonly property int count: windows.length

    // Asks the server, unless an answer has brought the limits already.
    onPopupOpenChanged: {
        if (popupOpen && !isKnown)
            service.call("Client", "GetUsageLimits", [], (values, code) => asked = code === "" ? values[0] : {});
    }

    function lengthOf(minutes) {
        const hours = Math.round(minutes / 60);
        const days = Math.round(minutes / 1440);
        return hours < 48 ? Texts.fill(i18ndp("chappie", "%s hour", "%s hours", hours), hours)
            : Texts.fill(i18ndp("chappie", "%s day", "%s days", days), days);
    }

    Repeater {
        model: view.windows

        RowLayout {
            id: row

            required property var modelData
            readonly property real used: modelData.used_percent ?? 0
            readonly property string percent: Texts.fill(i18nd("chappie", "%s %%"), Math.round(used)).replace("%%", "%")

            PlasmaComponents.Label {
                id: title
                text: row.modelData.window_minutes
                    ? Texts.fill(i18nd("chappie", "In %s"), view.lengthOf(row.modelData.window_minutes))
                    : i18nd("chappie", "Used")
            }
            PlasmaComponents.ProgressBar {
                Layout.fillWidth: true
                Accessible.name: `${title.text}: ${row.percent}`
                to: 100
                value: Math.min(row.used, 100)
            }
            PlasmaComponents.Label {
                text: row.percent
            }
        }
    }
}
