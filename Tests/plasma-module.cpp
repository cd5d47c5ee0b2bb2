// SPDX-License-Identifier: Apache-2.0
// A JavaScript shell for the module of the Plasma applet: evaluates each line of the standard input, with `service`,
// `turn` and what the modules of the arguments export as globals, and prints the value.
#include "service.h"
#include "turn.h"

#include <QCoreApplication>
#include <QFile>
#include <QJSEngine>
#include <QJSValueIterator>
#include <QSocketNotifier>
#include <QTextStream>

#include <unistd.h>

int main(int argc, char **argv)
{
    QCoreApplication app(argc, argv);
    QJSEngine engine;
    Service service;
    Turn turn;
    QJSEngine::setObjectOwnership(&service, QJSEngine::CppOwnership);
    QJSEngine::setObjectOwnership(&turn, QJSEngine::CppOwnership);
    engine.globalObject().setProperty(QStringLiteral("service"), engine.newQObject(&service));
    engine.globalObject().setProperty(QStringLiteral("turn"), engine.newQObject(&turn));
    for (int at = 1; at < argc; at++) {
        const auto module = engine.importModule(QString::fromLocal8Bit(argv[at]));
        if (module.isError()) {
            qCritical("%s: %s", argv[at], qPrintable(module.toString()));
            return 1;
        }
        for (QJSValueIterator name(module); name.next();)
            engine.globalObject().setProperty(name.name(), name.value());
    }

    QFile input;
    if (!input.open(STDIN_FILENO, QIODevice::ReadOnly | QIODevice::Unbuffered))
        return 1;
    QTextStream output(stdout);
    QSocketNotifier notifier(STDIN_FILENO, QSocketNotifier::Read);
    QObject::connect(&notifier, &QSocketNotifier::activated, &app, [&] {
        const auto line = input.readLine();
        if (line.isEmpty())
            return app.quit();
        output << engine.evaluate(QString::fromUtf8(line)).toString() << Qt::endl;
    });
    return app.exec();
}
