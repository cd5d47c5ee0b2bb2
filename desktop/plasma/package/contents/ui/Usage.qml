// SPDX-License-Identifier: Apache-2.0
// The usage limits of the plan, as bars.
pragma ComponentBehavior: Bound

import QtQuick
import QtQuick.Layouts
import org.kde.kirigami as Kirigami
import org.kde.plasma.components as PlasmaComponents

import "states.mjs" as States

ColumnLayout {
    id: view

    required property var service
    /** Whether the popup is open. */
    property bool popupOpen: false
    readonly property var live: service.client.UsageLimits ?? {}
    readonly property bool isKnown: Object.keys(live).length > 0
    property var asked: ({})
    readonly property var windows: States.limitWindows(isKnown ? live : asked)
    readonly property int count: windows.length

    // Asks the server, unless an answer has brought the limits already.
    onPopupOpenChanged: {
        if (popupOpen && !isKnown)
            service.call("Client", "GetUsageLimits", [], (values, code) => asked = code === "" ? values[0] : {});
    }

    function titleOf(limit) {
        return limit.days ? States.fill(i18ndp("chappie", "%s-day limit", "%s-day limit", limit.days), limit.days)
            : limit.hours ? States.fill(i18ndp("chappie", "%s-hour limit", "%s-hour limit", limit.hours), limit.hours)
            : i18nd("chappie", "Limit");
    }

    Repeater {
        model: view.windows

        ColumnLayout {
            id: limit

            required property var modelData
            readonly property string title: view.titleOf(modelData)
            readonly property string used: States.fill(i18nd("chappie", "%s %%"), modelData.percent).replace("%%", "%")
            readonly property color usedUpColor: Kirigami.Theme.negativeTextColor

            Layout.fillWidth: true
            spacing: 0

            RowLayout {
                // The bars of all limits begin and end alike.
                PlasmaComponents.Label {
                    Layout.minimumWidth: Kirigami.Units.gridUnit * 6
                    text: limit.title
                }
                PlasmaComponents.ProgressBar {
                    Layout.fillWidth: true
                    Accessible.name: `${limit.title}: ${limit.used}`
                    to: 100
                    value: limit.modelData.percent

                    // The bar of the theme has no other colour.
                    Rectangle {
                        anchors.fill: parent
                        color: limit.usedUpColor
                        radius: height / 2
                        visible: limit.modelData.isUsedUp
                    }
                }
                PlasmaComponents.Label {
                    Layout.minimumWidth: Kirigami.Units.gridUnit * 2
                    horizontalAlignment: Text.AlignRight
                    color: limit.modelData.isUsedUp ? limit.usedUpColor : Kirigami.Theme.textColor
                    text: limit.used
                }
            }
            PlasmaComponents.Label {
                font: Kirigami.Theme.smallFont
                text: visible ? States.fill(i18nd("chappie", "Resets %s"),
                    new Date(limit.modelData.resets * 1000).toLocaleString(Qt.locale(), Locale.ShortFormat)) : ""
                visible: limit.modelData.isUsedUp && limit.modelData.resets !== undefined
            }
        }
    }
}
