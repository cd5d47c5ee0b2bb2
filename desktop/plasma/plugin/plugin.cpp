// SPDX-License-Identifier: Apache-2.0
#include "service.h"
#include "turn.h"

#include <QQmlExtensionPlugin>
#include <qqml.h>

/// The QML module: D-Bus signals and sockets, which QML lacks.
class ChappiePlugin : public QQmlExtensionPlugin
{
    Q_OBJECT
    Q_PLUGIN_METADATA(IID QQmlExtensionInterface_iid)

public:
    void registerTypes(const char *uri) override
    {
        qmlRegisterType<Service>(uri, 1, 0, "Service");
        qmlRegisterType<Turn>(uri, 1, 0, "Turn");
    }
};

#include "plugin.moc"
