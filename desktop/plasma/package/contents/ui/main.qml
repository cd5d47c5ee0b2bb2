// SPDX-License-Identifier: Apache-2.0
// The applet: its icon with badge and tooltip. Everything else is in the popup.
import QtQuick
import org.chappie.plasma as Chappie
import org.kde.plasma.core as PlasmaCore
import org.kde.plasma.plasmoid

import "states.mjs" as States

PlasmoidItem {
    id: root

    readonly property string serviceState: States.stateOf(service.presence, service.session)
    /** The badge of the icon: the state of the service, or something more urgent. */
    readonly property string badge: turn.running ? "working" : approvals.count > 0 ? "approval"
        : serviceState === "ready" && turn.code === "Network" ? "offline" : serviceState
    readonly property alias service: service
    readonly property alias turn: turn
    readonly property alias approvals: approvals

    Plasmoid.icon: "org.chappie-symbolic"
    Plasmoid.status: badge === "approval" ? PlasmaCore.Types.NeedsAttentionStatus : PlasmaCore.Types.ActiveStatus
    Plasmoid.contextualActions: [
        PlasmaCore.Action {
            text: i18nd("chappie", "Open the window")
            icon.name: "window-new"
            visible: service.hasWindow
            onTriggered: service.openWindow(turn.thread)
        }
    ]
    toolTipMainText: "Chappie"
    toolTipSubText: titleOf(badge)

    /** The title of a state or a badge; empty where nothing is to be told. */
    function titleOf(word) {
        return ({
            missing: i18nd("chappie", "The service does not run"),
            unlock: i18nd("chappie", "The keyring is locked"),
            wait: i18nd("chappie", "The screen is locked"),
            "create-keyring": i18nd("chappie", "The keyring cannot be used"),
            "sign-in": i18nd("chappie", "Not signed in"),
            offline: i18nd("chappie", "The servers cannot be reached."),
            approval: i18nd("chappie", "Tools that wait for approval"),
            working: i18nd("chappie", "Answering…"),
        })[word] ?? "";
    }

    // Preloaded, so that the popup takes keys at once when it opens for the first time.
    preloadFullRepresentation: true
    compactRepresentation: PanelIcon {
        applet: root
    }
    fullRepresentation: Box {
        applet: root
    }

    onExpandedChanged: isExpanded => {
        if (!isExpanded)
            return;
        service.findWindow();
        if (service.presence === "running")
            approvals.refresh();
        else
            service.refresh();  // Starts the service.
    }
    onServiceStateChanged: {
        if (serviceState === "sign-in")
            turn.reset();
        approvals.refresh();
    }

    Chappie.Service {
        id: service
        onApprovalsChanged: approvals.refresh()
    }

    Chappie.Turn {
        id: turn
        textShown: root.expanded
        onApprovalsChanged: approvals.refresh()
    }

    Approvals {
        id: approvals
        service: service
    }
}
