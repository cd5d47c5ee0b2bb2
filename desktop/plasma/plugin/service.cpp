// SPDX-License-Identifier: Apache-2.0
#include "service.h"

#include <QClipboard>
#include <QDBusArgument>
#include <QDBusConnection>
#include <QDBusPendingCallWatcher>
#include <QDBusServiceWatcher>
#include <QGuiApplication>
#include <QJSEngine>
#include <qqml.h>

namespace
{
const auto name = QStringLiteral("org.chappie");
const auto path = QStringLiteral("/org/chappie");
const auto window = QStringLiteral("org.chappie.Window");
const auto properties = QStringLiteral("org.freedesktop.DBus.Properties");
const QString interfaces[] = {QStringLiteral("org.chappie.Manager"), QStringLiteral("org.chappie.Session"),
                              QStringLiteral("org.chappie.Client")};
// In milliseconds. An interactive call may prompt the user for a password.
constexpr int callTimeout = 25000;
constexpr int interactiveTimeout = 120000;

QDBusMessage busMethod(const QString &member)
{
    const auto bus = QStringLiteral("org.freedesktop.DBus");
    return QDBusMessage::createMethodCall(bus, QStringLiteral("/org/freedesktop/DBus"), bus, member);
}

// Converts a D-Bus value for QML: dictionaries to objects and arrays to arrays, at any depth.
QVariant toQml(const QVariant &value)
{
    if (value.metaType() == QMetaType::fromType<QDBusVariant>())
        return toQml(value.value<QDBusVariant>().variant());
    if (value.metaType() == QMetaType::fromType<QDBusArgument>()) {
        const auto argument = value.value<QDBusArgument>();
        if (argument.currentType() == QDBusArgument::MapType)
            return toQml(qdbus_cast<QVariantMap>(argument));
        QVariantList list;
        if (argument.currentType() != QDBusArgument::ArrayType)
            return list;
        for (argument.beginArray(); !argument.atEnd();)
            list << toQml(argument.asVariant());
        argument.endArray();
        return list;
    }
    if (value.metaType() == QMetaType::fromType<QVariantMap>()) {
        auto map = value.toMap();
        for (auto &element : map)
            element = toQml(element);
        return map;
    }
    return value;
}
}

Service::Service(QObject *parent)
    : QObject(parent)
{
    forget(QStringLiteral("starting"));
    auto bus = QDBusConnection::sessionBus();
    bus.connect(name, path, properties, QStringLiteral("PropertiesChanged"), this,
                SLOT(propertiesChanged(QString, QVariantMap, QStringList)));
    for (const auto *signal : {"ApprovalRequested", "ToolCallCompleted", "Failed"})
        bus.connect(name, path, interfaces[Client], QLatin1String(signal), this, SIGNAL(approvalsChanged()));
    auto *watcher = new QDBusServiceWatcher(name, bus, QDBusServiceWatcher::WatchForOwnerChange, this);
    connect(watcher, &QDBusServiceWatcher::serviceOwnerChanged, this,
            [this](const QString &, const QString &, const QString &owner) {
                forget(QStringLiteral("starting"));
                owner.isEmpty() ? Q_EMIT changed() : refresh();
            });
    auto owned = busMethod(QStringLiteral("NameHasOwner"));
    owned << name;
    send(owned, this, callTimeout, [this](const QDBusMessage &reply, const QString &, const QString &) {
        if (m_presence == QLatin1String("starting") && reply.arguments().value(0).toBool())
            refresh();
    });
    findWindow();
}

void Service::refresh()
{
    m_generation++;
    m_missing = 3;
    for (const auto interface : {Manager, Session, Client})
        read(interface);
}

void Service::read(Interface interface)
{
    auto message = QDBusMessage::createMethodCall(name, path, properties, QStringLiteral("GetAll"));
    message << interfaces[interface];
    const auto done = [this, interface, generation = m_generation](const QDBusMessage &reply, const QString &code,
                                                                   const QString &) {
        if (generation != m_generation)
            return;
        if (!code.isEmpty()) {
            forget(QStringLiteral("missing"));
            Q_EMIT changed();
            return;
        }
        m_values[interface] = toQml(reply.arguments().value(0)).toMap();
        if (m_missing > 0 && --m_missing > 0)
            return;
        m_presence = QStringLiteral("running");
        Q_EMIT changed();
    };
    send(message, this, callTimeout, done);
}

void Service::forget(const QString &presence)
{
    m_generation++;
    m_presence = presence;
    m_values.clear();
}

void Service::propertiesChanged(const QString &interface, const QVariantMap &values, const QStringList &invalidated)
{
    const auto found = std::find(std::begin(interfaces), std::end(interfaces), interface);
    if (m_presence != QLatin1String("running") || found == std::end(interfaces))
        return;
    const auto known = Interface(found - interfaces);
    m_values[known].insert(toQml(values).toMap());
    if (!invalidated.isEmpty())
        read(known);
    Q_EMIT changed();
}

void Service::call(const QString &interface, const QString &member, const QJSValue &arguments, const QJSValue &done,
                   bool interactive)
{
    auto message = method(interface, member);
    message.setArguments(arguments.toVariant().toList());
    message.setInteractiveAuthorizationAllowed(interactive);
    send(message, this, interactive ? interactiveTimeout : callTimeout,
         [this, done](const QDBusMessage &reply, const QString &code, const QString &text) {
             auto *engine = qjsEngine(this);
             if (!engine || !done.isCallable())
                 return;
             QVariantList values;
             for (const auto &value : reply.arguments())
                 values << toQml(value);
             done.call({engine->toScriptValue(code.isEmpty() ? values : QVariantList()), code, text});
         });
}

void Service::findWindow()
{
    send(busMethod(QStringLiteral("ListActivatableNames")), this, callTimeout,
         [this](const QDBusMessage &reply, const QString &, const QString &) {
             m_hasWindow = reply.arguments().value(0).toStringList().contains(window);
             Q_EMIT windowFound();
         });
}

void Service::openWindow(const QString &thread)
{
    const auto member = thread.isEmpty() ? QStringLiteral("Activate") : QStringLiteral("ActivateAction");
    auto message = QDBusMessage::createMethodCall(window, path + QStringLiteral("/Window"),
                                                  QStringLiteral("org.freedesktop.Application"), member);
    if (!thread.isEmpty())
        message << QStringLiteral("thread") << QVariantList{thread};
    message << QVariantMap();
    QDBusConnection::sessionBus().send(message);
}

void Service::copy(const QString &text)
{
    QGuiApplication::clipboard()->setText(text);
}

QString Service::visible(const QString &text) const
{
    QString shown;
    for (const uint character : text.toUcs4()) {
        bool isHidden = character == 0x3164 || character == 0x115f || character == 0x1160; // Blank letters.
        switch (QChar::category(character)) {
        case QChar::Other_Control:
        case QChar::Other_Format:
        case QChar::Other_Surrogate:
        case QChar::Other_PrivateUse:
        case QChar::Separator_Line:
        case QChar::Separator_Paragraph:
            isHidden = character != '\n';
            break;
        default:
            break;
        }
        if (isHidden)
            shown += QStringLiteral("\\u{%1}").arg(character, 0, 16);
        else
            shown += QString::fromUcs4(reinterpret_cast<const char32_t *>(&character), 1);
    }
    return shown;
}

void Service::send(const QDBusMessage &message, QObject *receiver, int timeout, Reply done)
{
    auto *watcher = new QDBusPendingCallWatcher(QDBusConnection::sessionBus().asyncCall(message, timeout), receiver);
    QObject::connect(watcher, &QDBusPendingCallWatcher::finished, receiver, [watcher, done = std::move(done)] {
        watcher->deleteLater();
        const auto reply = watcher->reply();
        if (reply.type() == QDBusMessage::ReplyMessage)
            done(reply, {}, {});
        else
            done(reply, reply.errorName().section(QLatin1Char('.'), -1), reply.errorMessage());
    });
}

QDBusMessage Service::method(const QString &interface, const QString &member)
{
    return QDBusMessage::createMethodCall(name, path, name + QLatin1Char('.') + interface, member);
}
