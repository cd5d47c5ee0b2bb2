// SPDX-License-Identifier: Apache-2.0
// The states in which no question can be asked, with their actions.
import QtQuick
import org.kde.kirigami as Kirigami
import org.kde.plasma.extras as PlasmaExtras

PlasmaExtras.PlaceholderMessage {
    id: view

    required property var service
    required property string serviceState
    readonly property var shown: ({
        missing: {
            icon: "dialog-error-symbolic",
            title: i18nd("chappie", "The service does not run"),
            text: i18nd("chappie", "Chappie’s service could not be started. If the package “chappie” was just installed, log out and in again. “chappie doctor” in a terminal finds out more."),
            action: i18nd("chappie", "Try again"),
        },
        locked: {
            icon: "system-lock-screen-symbolic",
            title: i18nd("chappie", "The keyring is locked"),
            text: i18nd("chappie", "Your sign-in and your conversations are in the keyring. Unlock it with the password of your account."),
            action: i18nd("chappie", "Unlock"),
        },
        "no-keyring": {
            icon: "dialog-password-symbolic",
            title: i18nd("chappie", "The keyring cannot be used"),
            text: (view.service.session.LastError?.message ?? "") + "\n\n"
                + i18nd("chappie", "Chappie keeps your sign-in in the keyring alone, which is GNOME Keyring, KWallet, or KeePassXC with the Secret Service turned on."),
            action: i18nd("chappie", "Try again"),
        },
    })[serviceState] ?? null

    visible: shown !== null
    iconName: shown?.icon ?? ""
    text: shown?.title ?? ""
    explanation: shown?.text ?? ""
    helpfulAction: Kirigami.Action {
        text: view.shown?.action ?? ""
        onTriggered: {
            // This call may prompt for the keyring's password. Its result shows in the properties.
            if (view.serviceState === "locked")
                view.service.call("Threads", "GetUsage", [], null, true);
            // A keyring that was never used asks for the password of its first collection.
            else if (view.serviceState === "no-keyring")
                view.service.call("Session", "StartBrowserSignIn", [{notify: false}], null, true);
            else
                view.service.refresh();
        }
    }
}
