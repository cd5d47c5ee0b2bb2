// SPDX-License-Identifier: Apache-2.0
// The icon in the panel, with a badge for the state. Plasma handles its keys and its accessible name.
import QtQuick
import org.kde.kirigami as Kirigami

MouseArea {
    id: icon

    required property var applet
    property bool wasExpanded: false
    /** The badge, by state. */
    readonly property var badges: ({
        missing: "emblem-error",
        unlock: "emblem-locked",
        wait: "emblem-locked",
        "create-keyring": "emblem-error",
        "sign-in": "emblem-warning",
        offline: "emblem-unavailable",
        approval: "emblem-question",
        working: "emblem-synchronizing-symbolic",
    })

    hoverEnabled: true

    // The press takes the focus, which closes the popup before the click.
    onPressed: wasExpanded = applet.expanded
    onClicked: applet.expanded = !wasExpanded

    Kirigami.Icon {
        anchors.fill: parent
        active: icon.containsMouse
        source: "org.chappie-symbolic"
    }

    Kirigami.Icon {
        anchors.right: parent.right
        anchors.bottom: parent.bottom
        width: Math.round(Math.min(parent.width, parent.height) / 2)
        height: width
        source: icon.badges[icon.applet.badge] ?? ""
        visible: source !== ""
    }
}
