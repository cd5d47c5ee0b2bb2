// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QLocalSocket>
#include <QObject>
#include <QTimer>
#include <QVariantMap>

class QDBusMessage;

/// A conversation: the latest question and its streamed answer. It is one stored thread, which the window shows too.
/// Questions and answers pass the socket of `OpenTurn` as JSON Lines, and not the bus.
class Turn : public QObject
{
    Q_OBJECT
    Q_PROPERTY(bool running READ isRunning NOTIFY changed)
    /// The latest question.
    Q_PROPERTY(QString question READ question NOTIFY changed)
    /// The beginning of the answer, up to `limit` characters: QML lays out the whole text with each delta.
    Q_PROPERTY(QString text READ text NOTIFY textChanged)
    Q_PROPERTY(int limit READ limit CONSTANT)
    /// The whole answer.
    Q_PROPERTY(QString answer READ answer NOTIFY textChanged)
    /// Whether the popup is open. While it is closed, `textChanged` is not emitted for each delta.
    Q_PROPERTY(bool textShown MEMBER m_textShown NOTIFY textChanged)
    /// The last component of the latest error's name, and a sentence for the user; empty without an error.
    Q_PROPERTY(QString code READ code NOTIFY changed)
    Q_PROPERTY(QString problem READ problem NOTIFY changed)
    /// What a search of the web does, as the event `search` tells it; of a complete answer its `searches` and `citations`.
    Q_PROPERTY(QVariantMap search READ search NOTIFY searchChanged)
    /// The options of the next turn: those of `Client.OpenTurn`.
    Q_PROPERTY(QVariantMap options MEMBER m_options)
    /// The id of the thread; empty before the first question, and when the service stores none.
    Q_PROPERTY(QString thread READ thread NOTIFY changed)

public:
    explicit Turn(QObject *parent = nullptr);

    bool isRunning() const { return m_running; }
    QString question() const { return m_question; }
    QString text() const { return m_answer.left(limit()); }
    int limit() const { return 8000; }
    QString answer() const { return m_answer; }
    QString code() const { return m_code; }
    QString problem() const { return m_problem; }
    QString thread() const { return m_thread; }
    QVariantMap search() const { return m_search; }

    /// Asks, unless a turn is running. With `replaces` the stored turn of the latest question is removed first.
    Q_INVOKABLE void ask(const QString &text, bool replaces = false);
    /// Cancels the turn. The received text stays.
    Q_INVOKABLE void cancel();
    /// Clears everything; the next question begins a new thread.
    Q_INVOKABLE void reset();

Q_SIGNALS:
    void changed();
    void textChanged();
    void searchChanged();
    /// The pending approvals of this turn have changed.
    void approvalsChanged();

private:
    void create();
    void remove(const QString &question);
    void open();
    void opened(const QDBusMessage &reply);
    void readLines();
    void read(const QByteArray &line);
    void setSearch(const QVariantMap &search);
    void write(const QJsonObject &line);
    void end(const QString &code, const QString &problem);

    QString m_question;
    QString m_answer;
    QString m_code;
    QString m_problem;
    QString m_thread;
    QVariantMap m_options;
    QVariantMap m_search;
    QByteArray m_line;
    QLocalSocket *m_socket = nullptr;
    QTimer m_draw;
    bool m_running = false;
    // Whether the turn of the latest question is certainly stored.
    bool m_stored = false;
    bool m_textShown = false;
    // Replies for earlier questions are ignored.
    int m_number = 0;
};
