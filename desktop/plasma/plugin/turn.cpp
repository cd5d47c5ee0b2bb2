// SPDX-License-Identifier: Apache-2.0
#include "turn.h"

#include "service.h"

#include <QDBusUnixFileDescriptor>
#include <QJsonDocument>
#include <QJsonObject>

#include <unistd.h>

namespace
{
// Milliseconds between two updates of the view while an answer is streamed.
constexpr int updateInterval = 40;
// In bytes. A bounded read does not block the shell for long; the socket applies backpressure.
constexpr int readBufferSize = 65536;
constexpr int callTimeout = 25000;
}

Turn::Turn(QObject *parent)
    : QObject(parent)
{
    m_draw.setSingleShot(true);
    m_draw.setInterval(updateInterval);
    connect(&m_draw, &QTimer::timeout, this, &Turn::textChanged);
}

void Turn::ask(const QString &text, bool replaces)
{
    if (m_running)
        return;
    const auto removed = replaces && m_stored && !m_thread.isEmpty() ? m_question : QString();
    m_number++;
    m_question = text;
    m_stored = false;
    m_answer.clear();
    m_code.clear();
    m_problem.clear();
    m_running = true;
    setSearch({});
    Q_EMIT textChanged();
    Q_EMIT changed();
    if (!removed.isEmpty())
        return remove(removed);
    m_thread.isEmpty() ? create() : open();
}

void Turn::remove(const QString &question)
{
    auto message = Service::method(QStringLiteral("Threads"), QStringLiteral("UndoTurn"));
    message << m_thread << QVariantMap{{QStringLiteral("text"), question}};
    const auto removed = [this, number = m_number](const QDBusMessage &, const QString &code, const QString &problem) {
        if (number != m_number || !m_running)
            return;
        code.isEmpty() ? open() : end(code, problem);
    };
    Service::send(message, this, callTimeout, removed);
}

void Turn::create()
{
    auto message = Service::method(QStringLiteral("Threads"), QStringLiteral("Create"));
    message << QVariantMap();
    const auto created = [this, number = m_number](const QDBusMessage &reply, const QString &code,
                                                   const QString &problem) {
        if (number != m_number || !m_running)
            return;
        // Without stored threads each question is a conversation of its own.
        const bool isWithout = code == QLatin1String("UnknownMethod") || code == QLatin1String("UnknownInterface");
        if (!code.isEmpty() && !isWithout)
            return end(code, problem);
        m_thread = isWithout ? QString() : reply.arguments().value(0).toString();
        open();
    };
    Service::send(message, this, callTimeout, created);
}

void Turn::open()
{
    auto message = Service::method(m_thread.isEmpty() ? QStringLiteral("Client") : QStringLiteral("Threads"),
                                   QStringLiteral("OpenTurn"));
    if (!m_thread.isEmpty())
        message << m_thread;
    message << m_options;
    const auto answered = [this, number = m_number](const QDBusMessage &reply, const QString &code,
                                                    const QString &problem) {
        if (number != m_number || !m_running)
            return;  // Dropping the reply closes the socket, which ends the turn.
        code.isEmpty() ? opened(reply) : end(code, problem);
    };
    Service::send(message, this, callTimeout, answered);
}

void Turn::opened(const QDBusMessage &reply)
{
    const auto handle = reply.arguments().value(1).value<QDBusUnixFileDescriptor>();
    const int descriptor = handle.isValid() ? dup(handle.fileDescriptor()) : -1;
    m_socket = new QLocalSocket(this);
    m_socket->setReadBufferSize(readBufferSize);
    if (descriptor < 0 || !m_socket->setSocketDescriptor(descriptor)) {
        if (descriptor >= 0)
            close(descriptor);
        return end(QStringLiteral("Interrupted"), {});
    }
    connect(m_socket, &QLocalSocket::readyRead, this, &Turn::readLines);
    connect(m_socket, &QLocalSocket::disconnected, this, [this] {
        readLines();
        end(QStringLiteral("Interrupted"), {});
    });
    write({{QStringLiteral("text"), m_question}});
}

void Turn::readLines()
{
    m_line += m_socket->readAll();
    qsizetype begin = 0;
    for (qsizetype end; m_socket && (end = m_line.indexOf('\n', begin)) >= 0; begin = end + 1)
        read(m_line.mid(begin, end - begin));
    m_line.remove(0, begin);
}

void Turn::read(const QByteArray &line)
{
    const auto event = QJsonDocument::fromJson(line).object();
    const auto text = [&event](const char *key) { return event[QLatin1String(key)].toString(); };
    const auto kind = text("event");
    if (kind == QLatin1String("text-delta")) {
        const bool isFull = m_answer.size() > limit();
        m_answer += text("text");
        if (m_textShown && !isFull && !m_draw.isActive())
            m_draw.start();
    } else if (kind == QLatin1String("approval-requested") || kind == QLatin1String("tool-call-completed")) {
        Q_EMIT approvalsChanged();
    } else if (kind == QLatin1String("search")) {
        setSearch(event.toVariantMap());
    } else if (kind == QLatin1String("completed")) {
        m_answer = text("text");
        m_stored = true;
        setSearch(event.toVariantMap());
        end({}, {});
    } else if (kind == QLatin1String("failed")) {
        end(text("error").section(QLatin1Char('.'), -1), text("message"));
    }
}

void Turn::setSearch(const QVariantMap &search)
{
    m_search = search;
    Q_EMIT searchChanged();
}

void Turn::write(const QJsonObject &line)
{
    m_socket->write(QJsonDocument(line).toJson(QJsonDocument::Compact) + '\n');
}

void Turn::cancel()
{
    if (m_socket)
        write({{QStringLiteral("cancel"), true}});
    else if (m_running)
        end(QStringLiteral("Cancelled"), {});
}

void Turn::reset()
{
    end({}, {});
    m_thread.clear();
    setSearch({});
    m_question.clear();
    m_answer.clear();
    m_code.clear();
    m_problem.clear();
    Q_EMIT textChanged();
    Q_EMIT changed();
}

void Turn::end(const QString &code, const QString &problem)
{
    if (!m_running)
        return;
    m_running = false;
    m_code = code;
    m_problem = problem;
    if (code == QLatin1String("NoSuchThread"))
        m_thread.clear();
    if (m_socket) {
        m_socket->disconnect(this);
        m_socket->close();
        m_socket->deleteLater();
        m_socket = nullptr;
    }
    m_line.clear();
    m_draw.stop();
    Q_EMIT textChanged();
    Q_EMIT changed();
}
