// SPDX-License-Identifier: Apache-2.0
// The icon in the panel, with a mark for the state. Keys and screen readers are Plasma's matter.
import QtQuick
import org.kde.kirigami as Kirigami

import "states.js" as States

MouseArea {
    id: icon

    required property var applet
    property bool wasExpanded: false

    hoverEnabled: true

    // The box closes when it loses the focus to this press.
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
        source: States.MARKS[icon.applet.mark] ?? ""
        visible: source !== ""
    }
}
